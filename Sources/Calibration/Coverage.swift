/// How often claims held: for each epoch a claimed radius and the error that was really made.
public struct Coverage: Sendable {
    /// Epochs counted.
    public private(set) var epochs = 0
    private var within = 0
    private var withinWide = 0
    private var claims: [Double] = []
    private var errors: [Double] = []

    /// Nothing counted yet.
    public init() {}

    /// One epoch. `wide` is the larger radius that is claimed for a larger probability.
    public mutating func count(error: Double, claim: Double, wide: Double) {
        epochs += 1
        if error <= claim { within += 1 }
        if error <= wide { withinWide += 1 }
        claims.append(claim)
        errors.append(error)
    }

    /// Another tally's epochs too.
    public mutating func count(_ other: Coverage) {
        epochs += other.epochs
        within += other.within
        withinWide += other.withinWide
        claims += other.claims
        errors += other.errors
    }

    /// Share of epochs whose error was no larger than the claim; nil without epochs.
    public var share: Double? { epochs > 0 ? Double(within) / Double(epochs) : nil }
    /// The same for the wider radius.
    public var wideShare: Double? { epochs > 0 ? Double(withinWide) / Double(epochs) : nil }
    /// Metres, the claim in the middle.
    public var medianClaim: Double? { claims.quantile(0.5) }
    /// Metres, the smallest claim.
    public var smallestClaim: Double? { claims.min() }
    /// Metres, the error that a share of epochs does not exceed: what the claim ought to have been.
    public func error(_ share: Double) -> Double? { errors.quantile(share) }
}

extension [Double] {
    /// The value that a share of them does not exceed.
    func quantile(_ share: Double) -> Double? {
        guard !isEmpty else { return nil }
        return sorted()[Swift.min(count - 1, Int(Double(count) * share))]
    }
}
