import Bridges
import Testing

@testable import sextant

/// The output of `sextant time`.
@Suite struct TimeSummaryTests {
    private func samples(_ offsets: [Double], _ moment: TimeSample.Moment = .firstByte) -> [TimeSample] {
        offsets.map { TimeSample(moment: moment, seconds: 0, nanoseconds: 0, offset: $0) }
    }

    private func summary(_ offsets: [Double], _ moment: TimeSample.Moment = .firstByte, _ delay: Double = 0) throws
        -> TimeSummary
    {
        try #require(
            TimeSummary(samples(offsets, moment), delay: ByteDelay(delay, uncertainty: 0.05, .learned)))
    }

    @Test func `the offset is the median with the delay, and the jitter the standard deviation`() throws {
        let found = try summary([-0.2, -0.1, -0.3, -0.2, 5])
        #expect(found.offset == -0.2 && found.samples == 5 && found.jitter > 2)
        #expect(try summary([0.1, 0.3]).offset == 0.2 && summary([1]).jitter == 0)
        #expect(TimeSummary([], delay: ByteDelay(0, uncertainty: 1, .family)) == nil)
        let corrected = try summary([-0.3, -0.25, -0.2], .firstByte, 0.26)
        #expect(corrected.offset == 0.01 && corrected.delay == 0.26 && corrected.delayUncertainty == 0.05)
    }

    @Test func `the direction of the offset and the delay are stated`() throws {
        let ahead = try summary([-0.25]).displayText
        #expect(ahead.hasPrefix("this machine is 250.0 ms ahead of the receiver, ±50.0 ms; jitter "))
        #expect(
            ahead.hasSuffix("first byte of its sentences arrives 0.0 ms after the second, as sextant-time has learned"))
        let behind = try #require(
            TimeSummary(samples([12], .endOfSentences), delay: ByteDelay(0.5, uncertainty: 0.4, .family)))
        #expect(behind.displayText.hasPrefix("this machine is 12.5 s behind the receiver, ±400.0 ms; jitter "))
        #expect(
            behind.displayText.hasSuffix(
                "The end of its sentences arrives 500.0 ms after the second, as is typical of its family: "
                    + "nothing is learned yet"))
        #expect(behind.obstacle(clockError: nil).first?.contains("rtcsync") == true)
        #expect(try summary([1]).obstacle(clockError: nil).isEmpty)
    }
}
