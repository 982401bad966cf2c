import Chronology
import Testing

@Suite struct InstantTests {
    @Test func instantsAndSpans() {
        let start = Instant(nanoseconds: 5)
        let end = start + .milliseconds(2)
        #expect(end - start == .milliseconds(2))
        #expect(start - end == Instant.Span(nanoseconds: -2_000_000))
        #expect(end - .milliseconds(2) == start)
        #expect(start < end)
        #expect(Instant.Span.milliseconds(1) + .milliseconds(2) - .milliseconds(3) == .zero)
    }

    @Test(
        arguments: [(0.0, Int64(0)), (1.5, 1_500_000_000), (-0.001, -1_000_000), (1e-9, 1), (0.1 + 0.2, 300_000_000)] as [(Double, Int64)])
    func secondsToTheNanosecond(seconds: Double, nanoseconds: Int64) {
        #expect(Instant.Span.seconds(seconds).nanoseconds == nanoseconds)
    }

    @Test(arguments: [1e300, .infinity, 9e9])
    func secondsBeyondReasonAreClamped(seconds: Double) {
        #expect(Instant.Span.seconds(seconds).seconds == 9e9)
        #expect(Instant.Span.seconds(-seconds).seconds == -9e9)
    }

    @Test func noNumberIsNoTime() {
        #expect(Instant.Span.seconds(.nan) == .zero)
    }

    @Test func theEarlierOfTwoDeadlines() {
        let (early, late) = (Instant(nanoseconds: 1), Instant(nanoseconds: 2))
        #expect(earliest(nil, nil) == nil)
        #expect(earliest(late, nil) == late)
        #expect(earliest(nil, late) == late)
        #expect(earliest(late, early) == early)
    }
}
