/// A random number generator with a seed (SplitMix64).
struct SeededGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    /// Returns a number in 0 ..< 1.
    mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((bits ^ (bits >> 31)) >> 11) / Double(1 << 53)
    }

    /// Returns a factor between 1 / `limit` and `limit`.
    mutating func factor(_ limit: Double) -> Double {
        let part = next()
        return part < 0.5 ? 1 + (limit - 1) * part * 2 : 1 / (1 + (limit - 1) * (part - 0.5) * 2)
    }
}
