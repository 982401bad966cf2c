/// The share of epochs whose true error lies within the claimed radius.
package struct ClaimCoverage: Sendable {
    package private(set) var epochs = 0
    private var within = 0
    private var withinWide = 0
    private var claims: [Double] = []
    private var errors: [Double] = []

    /// Creates an empty count.
    package init() {}

    /// Counts one epoch. `wide` is the radius claimed for the higher probability.
    package mutating func add(_ error: Double, claim: Double, wide: Double) {
        epochs += 1
        if error <= claim { within += 1 }
        if error <= wide { withinWide += 1 }
        claims.append(claim)
        errors.append(error)
    }

    /// Adds the epochs of another count.
    package mutating func add(_ other: ClaimCoverage) {
        epochs += other.epochs
        within += other.within
        withinWide += other.withinWide
        claims += other.claims
        errors += other.errors
    }

    /// The share of epochs whose error does not exceed the claim; nil if there are no epochs.
    package var share: Double? { epochs > 0 ? Double(within) / Double(epochs) : nil }
    /// The share of epochs whose error does not exceed the wider radius.
    package var wideShare: Double? { epochs > 0 ? Double(withinWide) / Double(epochs) : nil }
    /// The median claim, in metres.
    package var medianClaim: Double? { claims.quantile(0.5) }
    /// The smallest claim, in metres.
    package var minClaim: Double? { claims.min() }
    /// Returns the error in metres that this share of epochs does not exceed: the claim that would
    /// have been correct.
    package func error(_ share: Double) -> Double? { errors.quantile(share) }
}

extension [Double] {
    /// Returns the value that this share of the elements does not exceed.
    func quantile(_ share: Double) -> Double? {
        guard !isEmpty else { return nil }
        return sorted()[Swift.min(count - 1, Int(Double(count) * share))]
    }
}
