/// Who pays which part of what a receiver draws.
///
/// Each consumer has a power that the receiver would need for it alone. Up to that of the most modest one all pay alike; what the next one
/// needs beyond it, the rest pay alike; and so on. So who asks for more pays more, equals pay the same, and the parts add up to one. It is the Shapley value of the airport game (Littlechild and Owen, 1973).
public struct EnergyShares: Sendable, Equatable {
    /// Each consumer's part, 0 to 1; together 1.
    public let parts: [Consumer: Double]

    /// The shares of those who need a receiver; without needs it is all nobody's. A consumer with several needs counts with the greatest.
    public init(_ needs: [PowerNeed], _ figures: EnergyFigures) {
        var powers: [Consumer: Double] = [:]
        for need in needs { powers[need.consumer] = max(powers[need.consumer] ?? 0, need.power(figures)) }
        let ranked = powers.sorted { $0.value < $1.value }
        guard let greatest = ranked.last?.value, greatest > 0, greatest.isFinite else {
            parts = [.nobody: 1]
            return
        }
        var parts: [Consumer: Double] = [:]
        var (paid, reached) = (0.0, 0.0)
        for (at, one) in ranked.enumerated() {
            paid += (one.value - reached) / greatest / Double(ranked.count - at)
            reached = one.value
            parts[one.key] = paid
        }
        self.parts = parts
    }
}
