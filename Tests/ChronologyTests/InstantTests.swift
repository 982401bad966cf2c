import Chronology
import Testing

@Suite struct InstantTests {
    @Test func `instants and spans add and subtract`() {
        let start = Instant(nanoseconds: 5)
        let end = start + .milliseconds(2)
        #expect(end - start == .milliseconds(2))
        #expect(start - end == Instant.Span(nanoseconds: -2_000_000))
        #expect(end - .milliseconds(2) == start)
        #expect(start < end)
        #expect(Instant.Span.milliseconds(1) + .milliseconds(2) - .milliseconds(3) == .zero)
    }

    @Test(
        arguments: [(0.0, Int64(0)), (1.5, 1_500_000_000), (-0.001, -1_000_000), (1e-9, 1), (0.1 + 0.2, 300_000_000)]
            as [(Double, Int64)])
    func `seconds convert to nanoseconds exactly`(seconds: Double, nanoseconds: Int64) {
        #expect(Instant.Span.seconds(seconds).nanoseconds == nanoseconds)
    }

    @Test(arguments: [1e300, .infinity, 9e9])
    func `seconds out of range are clamped`(seconds: Double) {
        #expect(Instant.Span.seconds(seconds).seconds == 9e9)
        #expect(Instant.Span.seconds(-seconds).seconds == -9e9)
    }

    @Test func `NaN seconds become zero`() {
        #expect(Instant.Span.seconds(.nan) == .zero)
    }

    @Test(arguments: [.max, .max / 1000, 9_223_372_036_855] as [Int64])
    func `milliseconds out of range are clamped`(count: Int64) {
        #expect(Instant.Span.milliseconds(count) == Instant.Span(nanoseconds: .max))
        #expect(Instant.Span.milliseconds(-count) == Instant.Span(nanoseconds: .min))
    }

    @Test func `sums and differences out of range are clamped`() {
        let (longest, shortest) = (Instant.Span(nanoseconds: .max), Instant.Span(nanoseconds: .min))
        let (last, first) = (Instant(nanoseconds: .max), Instant(nanoseconds: .min))
        let one = Instant.Span(nanoseconds: 1)
        #expect(Instant(nanoseconds: 7) + longest == last && last + one == last && first - one == first)
        #expect(last - first == longest && first - last == shortest && Instant(nanoseconds: -2) + shortest == first)
        #expect(Instant(nanoseconds: 7) - shortest == last)
        #expect(longest + one == longest && shortest + Instant.Span(nanoseconds: -1) == shortest)
        #expect(shortest - one == shortest && longest - Instant.Span(nanoseconds: -1) == longest)
    }

    @Test func `earliest returns the earlier of two optional deadlines`() {
        let (early, late) = (Instant(nanoseconds: 1), Instant(nanoseconds: 2))
        #expect(earliest(nil, nil) == nil)
        #expect(earliest(late, nil) == late)
        #expect(earliest(nil, late) == late)
        #expect(earliest(late, early) == early)
    }
}
