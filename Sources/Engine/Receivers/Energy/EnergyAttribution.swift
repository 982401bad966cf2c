/// Attributes the power of a receiver to its consumers.
///
/// Each consumer has a stand-alone power: what the receiver would draw for its demand alone. All
/// consumers share the part up to the smallest such power equally. The remaining consumers share
/// the difference to the next power equally, and so on.
///
/// A greater demand therefore gets a greater share, equal demands get equal shares, and the shares
/// add up to one. This is the Shapley value of the airport game (Littlechild and Owen, 1973).
package struct EnergyAttribution: Sendable, Equatable {
    /// The share of each consumer, 0 to 1; the sum is 1.
    package let parts: [Consumer: Double]

    /// Computes the shares of the consumers of a receiver. Without demands, all energy is
    /// attributed to ``Consumer/nobody``. A consumer with several demands counts with the greatest.
    package init(_ demands: [ConsumerDemand], figures: EnergyFigures) {
        var powers: [Consumer: Double] = [:]
        for demand in demands {
            powers[demand.consumer] = max(powers[demand.consumer] ?? 0, demand.power(figures))
        }
        let ranked = powers.sorted { $0.value < $1.value }
        guard let greatest = ranked.last?.value, greatest > 0, greatest.isFinite else {
            parts = [.nobody: 1]
            return
        }
        var parts: [Consumer: Double] = [:]
        var (paid, reached) = (0.0, 0.0)
        for (index, one) in ranked.enumerated() {
            paid += (one.value - reached) / greatest / Double(ranked.count - index)
            reached = one.value
            parts[one.key] = paid
        }
        self.parts = parts
    }
}
