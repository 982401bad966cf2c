import Chronology
import Testing

@testable import Positioning

@Suite struct IdleLineTests {
    /// A tenth of the period, but at least 80 ms and at most 250 ms.
    @Test(arguments: [
        (Instant.Span.milliseconds(200), Int64(80)), (.seconds(1), 100), (.seconds(2), 200), (.seconds(10), 250),
    ])
    func `the idle limit follows the period within bounds`(period: Instant.Span, idle: Int64) {
        var pipeline = FixPipeline()
        let clock = { (epoch: Int64) in Body.clock(43_200_000 + Int(epoch * period.nanoseconds / 1_000_000)) }
        for epoch in 0..<2 as Range<Int64> {
            #expect(pipeline.burst([Body.gga(clock(epoch))], pause: period).count == 1)
        }
        #expect(pipeline.send([Body.rmc(clock(2))], pause: period).isEmpty)
        #expect(pipeline.assembler.deadline == pipeline.now + .milliseconds(idle))
    }
}
