/// A stream of pseudo-random numbers that is the same on every machine for the same seed and purpose.
///
/// xoshiro256** seeded by SplitMix64 (D. Blackman and S. Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47
/// (2021)). Normal numbers come from sums of uniform ones, so that no mathematical library has a say in them. What the simulator does
/// take from the library, sines of angles in positions and dilutions of precision, differs between machines at most in the last bit
/// and is rounded to a few digits before it is printed.
public struct RandomSource: Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// A stream of its own for every purpose, so that one use of chance does not shift another.
    ///
    /// - Parameters:
    ///   - seed: The number the user gave.
    ///   - purpose: Any constant; tells the streams of one seed apart.
    public init(seed: UInt64, purpose: UInt64) {
        var mixer = SplitMix(state: seed &+ purpose &* 0xD1B5_4A32_D192_ED03)
        state = (mixer.next(), mixer.next(), mixer.next(), mixer.next())
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        let result = rotated(state.1 &* 5, 7) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = rotated(state.3, 45)
        return result
    }

    /// A number evenly spread over 0 ..< 1.
    public mutating func uniform() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// A number of mean 0 and standard deviation 1: twelve uniform ones less their mean (Irwin and Hall), within -6 ... 6.
    public mutating func normal() -> Double {
        (0..<12).reduce(-6.0) { sum, _ in sum + uniform() }
    }

    private func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
        (value << count) | (value >> (64 - count))
    }
}

/// SplitMix64: turns any number, also a small or regular one, into well-mixed bits.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number in 0 ..< 1 that belongs to a place in a table of chance.
    static func fraction(_ seed: UInt64, _ row: Int, _ column: Int) -> Double {
        var mixer = SplitMix(state: seed ^ UInt64(bitPattern: Int64(row)) &* 0xA24B_AED4_963E_E407)
        mixer.state &+= mixer.next() ^ UInt64(bitPattern: Int64(column)) &* 0x9FB2_1C65_1E98_DF25
        return Double(mixer.next() >> 11) * 0x1p-53
    }
}
