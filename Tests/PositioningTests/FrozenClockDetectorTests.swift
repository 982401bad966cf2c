import Chronology
import Testing

@testable import Positioning

/// A receiver with a frozen clock that claims a position.
@Suite struct FrozenClockDetectorTests {
    private func fixCount(_ bodies: [String], pipeline: inout FixPipeline) -> Int {
        bodies.reduce(0) { $0 + pipeline.burst([$1]).count }
    }

    @Test func `a frozen clock gives no fix and is reported`() {
        var pipeline = FixPipeline()
        #expect(
            fixCount([Body.gga("120000.00"), Body.gga("120001.00"), Body.gga("120001.00")], pipeline: &pipeline) == 2)
        #expect(!pipeline.assembler.isClockFrozen)
        #expect(fixCount([Body.gga("120001.00"), Body.gga("120001.00")], pipeline: &pipeline) == 0)
        #expect(pipeline.assembler.isClockFrozen)
        #expect(fixCount([Body.gga("120005.00")], pipeline: &pipeline) == 1)
        #expect(!pipeline.assembler.isClockFrozen)
    }

    /// A receiver that reports no fix is trusted, and its clock does not matter.
    @Test func `a frozen clock without a fix is not reported`() {
        var pipeline = FixPipeline()
        #expect(fixCount(Array(repeating: Body.gga("000000.00", quality: 0), count: 9), pipeline: &pipeline) == 1)
        #expect(!pipeline.assembler.isClockFrozen)
    }

    @Test func `late and repeated sentences are not a frozen clock`() {
        var pipeline = FixPipeline()
        for second in 0..<9 {
            let clock = Body.clock(43_200_000 + second * 1000)
            #expect(pipeline.burst([Body.gga(clock)], pause: .milliseconds(500)).count == 1)
            #expect(pipeline.burst([Body.gga(clock), Body.rmc(clock)], pause: .milliseconds(500)).isEmpty)
            #expect(!pipeline.assembler.isClockFrozen)
        }
    }
}
