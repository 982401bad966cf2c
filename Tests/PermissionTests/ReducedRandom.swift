import Testing

@testable import Permission

/// Random numbers that are the same in every run (SplitMix64).
struct ReducedRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// A normally distributed number (the sum of twelve uniform ones).
    mutating func normal() -> Double {
        (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &self) }
    }

    mutating func secret() throws -> ReducedSecret {
        let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &self) }
        return try #require(ReducedSecret(bytes: bytes))
    }
}
