import Testing

@testable import Simulator

@Suite struct RandomSourceTests {
    /// The published first outputs of SplitMix64 for the seed 1234567.
    @Test func `SplitMix64 produces its published outputs`() {
        var mixer = SplitMix(state: 1_234_567)
        for known: UInt64 in [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423] {
            #expect(mixer.next() == known)
        }
    }

    @Test func `normal numbers have mean 0 and variance 1`() {
        var random = RandomSource(seed: 5, purpose: 0)
        let values = (0..<50_000).map { _ in random.normal() }
        let mean = values.reduce(0, +) / 50_000
        let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 50_000
        #expect(abs(mean) < 0.02 && abs(variance - 1) < 0.03)
    }

    @Test func `the decay equals the exponential function`() {
        #expect(abs(exponentialDecay(1) - 0.367_879_441_171_442_33) < 1e-14)
        #expect(abs(exponentialDecay(0.01) - 0.990_049_833_749_168_1) < 1e-14)
        #expect(abs(exponentialDecay(20) / 2.061_153_622_438_558e-9 - 1) < 1e-11)
        #expect(exponentialDecay(0) == 1 && exponentialDecay(1e9) == 0)
    }
}
