import TestSupport

extension SeededGenerator {
    /// Returns a number in 0 ..< 1.
    mutating func share() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// Returns a factor between 1 / `limit` and `limit`.
    mutating func factor(_ limit: Double) -> Double {
        let part = share()
        return part < 0.5 ? 1 + (limit - 1) * part * 2 : 1 / (1 + (limit - 1) * (part - 0.5) * 2)
    }
}
