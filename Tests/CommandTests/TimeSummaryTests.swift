import Bridges
import Testing

@testable import sextant

/// The output of `sextant time`.
@Suite struct TimeSummaryTests {
    private func samples(_ offsets: [Double], _ moment: TimeSample.Moment = .firstByte) -> [TimeSample] {
        offsets.map { TimeSample(moment: moment, seconds: 0, nanoseconds: 0, offset: $0) }
    }

    @Test func `the offset is the median, and the jitter the standard deviation`() throws {
        let summary = try #require(TimeSummary(samples([-0.2, -0.1, -0.3, -0.2, 5])))
        #expect(summary.offset == -0.2 && summary.samples == 5 && summary.jitter > 2)
        #expect(try #require(TimeSummary(samples([0.1, 0.3]))).offset == 0.2)
        #expect(TimeSummary([]) == nil && TimeSummary(samples([1]))?.jitter == 0)
    }

    @Test func `the direction of the offset is stated`() throws {
        let ahead = try #require(TimeSummary(samples([-0.25]))).displayText
        #expect(ahead.hasPrefix("this machine is 250.0 ms ahead of the receiver; jitter "))
        #expect(ahead.hasSuffix("The offset includes the delay of the first byte of its sentences"))
        let behind = try #require(TimeSummary(samples([12], .endOfSentences))).displayText
        #expect(behind.hasPrefix("this machine is 12.0 s behind the receiver; jitter "))
        #expect(behind.hasSuffix("The offset includes the delay of the end of its sentences"))
    }
}
