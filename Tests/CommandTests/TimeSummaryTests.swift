import Testing

@testable import sextant

/// The output of `sextant time`.
@Suite struct TimeSummaryTests {
    @Test func `the offset is the median, and the jitter the standard deviation`() throws {
        let summary = try #require(TimeSummary([-0.2, -0.1, -0.3, -0.2, 5]))
        #expect(summary.offset == -0.2 && summary.samples == 5 && summary.jitter > 2)
        #expect(try #require(TimeSummary([0.1, 0.3])).offset == 0.2)
        #expect(TimeSummary([]) == nil && TimeSummary([1])?.jitter == 0)
    }

    @Test func `the direction of the offset is stated`() throws {
        #expect(
            try #require(TimeSummary([-0.25])).displayText.hasPrefix("this machine is 250.0 ms ahead of the receiver"))
        #expect(try #require(TimeSummary([12])).displayText.hasPrefix("this machine is 12.0 s behind the receiver"))
    }
}
