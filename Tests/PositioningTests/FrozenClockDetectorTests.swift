import Chronology
import Testing

@testable import Positioning

/// A receiver with a frozen clock that claims a position.
@Suite struct FrozenClockDetectorTests {
    private func play(_ bodies: [String], bench: inout Bench) -> Int {
        bodies.reduce(0) { $0 + bench.burst([$1]).count }
    }

    @Test func `a frozen clock gives no fix and is reported`() {
        var bench = Bench()
        #expect(play([Say.gga("120000.00"), Say.gga("120001.00"), Say.gga("120001.00")], bench: &bench) == 2)
        #expect(!bench.assembler.isClockFrozen)
        #expect(play([Say.gga("120001.00"), Say.gga("120001.00")], bench: &bench) == 0)
        #expect(bench.assembler.isClockFrozen)
        #expect(play([Say.gga("120005.00")], bench: &bench) == 1)
        #expect(!bench.assembler.isClockFrozen)
    }

    /// A receiver that reports no fix is trusted, and its clock does not matter.
    @Test func `a frozen clock without a fix is not reported`() {
        var bench = Bench()
        #expect(play(Array(repeating: Say.gga("000000.00", quality: 0), count: 9), bench: &bench) == 1)
        #expect(!bench.assembler.isClockFrozen)
    }

    @Test func `late and repeated sentences are not a frozen clock`() {
        var bench = Bench()
        for second in 0..<9 {
            let clock = Say.clock(43_200_000 + second * 1000)
            #expect(bench.burst([Say.gga(clock)], pause: .milliseconds(500)).count == 1)
            #expect(bench.burst([Say.gga(clock), Say.rmc(clock)], pause: .milliseconds(500)).isEmpty)
            #expect(!bench.assembler.isClockFrozen)
        }
    }
}
