// Wrapping arithmetic: the generators are defined modulo 2^64.

/// A sequence of pseudo-random numbers. It is the same on every machine for the same seed and
/// purpose.
///
/// The generator is xoshiro256** seeded by SplitMix64 (D. Blackman and S. Vigna, "Scrambled linear
/// pseudorandom number generators", ACM TOMS 47 (2021)). Normal numbers are sums of uniform ones,
/// so they do not depend on a mathematical library.
///
/// The simulator uses library sines for angles in positions and dilutions of precision. They differ
/// between machines at most in the last bit, and the output rounds them to a few digits.
package struct RandomSource: Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// Creates an independent sequence for each purpose, so that one use of random numbers does not
    /// affect another.
    ///
    /// - Parameters:
    ///   - seed: The user's seed.
    ///   - purpose: Any constant; it distinguishes the sequences of one seed.
    package init(seed: UInt64, purpose: UInt64) {
        var mixer = SplitMix(state: seed &+ purpose &* 0xD1B5_4A32_D192_ED03)
        state = (mixer.next(), mixer.next(), mixer.next(), mixer.next())
    }

    /// Returns the next 64 bits.
    package mutating func next() -> UInt64 {
        let result = rotatedLeft(state.1 &* 5, by: 7) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = rotatedLeft(state.3, by: 45)
        return result
    }

    /// Returns a uniformly distributed number in 0 ..< 1.
    package mutating func uniform() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// Returns a number with mean 0 and standard deviation 1: the sum of twelve uniform numbers
    /// less its mean (Irwin-Hall), within -6 ... 6.
    package mutating func normal() -> Double {
        (0..<12).reduce(-6.0) { sum, _ in sum + uniform() }
    }

    private func rotatedLeft(_ value: UInt64, by count: UInt64) -> UInt64 {
        (value << count) | (value >> (64 - count))
    }
}

/// SplitMix64: converts any number, even a small or regular one, to well-mixed bits.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns a number in 0 ..< 1 for a row and column of a random table.
    static func fraction(seed: UInt64, row: Int, column: Int) -> Double {
        var mixer = SplitMix(state: seed ^ UInt64(bitPattern: Int64(row)) &* 0xA24B_AED4_963E_E407)
        mixer.state &+= mixer.next() ^ UInt64(bitPattern: Int64(column)) &* 0x9FB2_1C65_1E98_DF25
        return Double(mixer.next() >> 11) * 0x1p-53
    }
}
