import Chronology

/// What was spent on each day of the host's UTC.
public struct PowerLedger: Sendable, Equatable {
    /// Days kept, the present one counted.
    public static let capacity = 60

    /// The end of the year 9999, in milliseconds since 1970.
    private static let latest: Int64 = 253_402_300_799_999

    /// By day.
    public private(set) var days: [CivilDate: PowerPeriod] = [:]

    /// An empty one.
    public init() {}

    /// Whether there is nothing in it.
    public var isEmpty: Bool { days.isEmpty }

    /// Adds a stretch that ended at a moment of UTC; one over midnight is divided.
    public mutating func add(_ stretch: PowerStretch, endingAt end: UTCTime) {
        PowerLedger.divide(stretch.span, endingAt: end) { days[$0, default: PowerPeriod()].add(stretch, part: $1) }
        bound()
    }

    /// Adds wakeups over a time that ended at a moment of UTC.
    public mutating func add(wakeups: Double, over span: Instant.Span, endingAt end: UTCTime) {
        guard wakeups > 0 else { return }
        PowerLedger.divide(span, endingAt: end) { days[$0, default: PowerPeriod()].wakeups += wakeups * $1 }
        bound()
    }

    /// Adds a day's.
    public mutating func add(_ period: PowerPeriod, on day: CivilDate) {
        days[day, default: PowerPeriod()].add(period)
        bound()
    }

    /// Adds another's days.
    public mutating func add(_ other: PowerLedger) {
        for (day, period) in other.days { add(period, on: day) }
    }

    /// Calls with each day that a time touches and the part of it that lies there, 0 to 1.
    private static func divide(_ span: Instant.Span, endingAt end: UTCTime, _ body: (CivilDate, Double) -> Void) {
        let whole = span.nanoseconds / 1_000_000
        // A host's clock may say anything; a day has to be made of it.
        var (left, end) = (whole, min(max(end.milliseconds, 1), latest))
        guard whole > 0 else {
            if span > .zero { body(UTCTime(milliseconds: end).date, 1) }
            return
        }
        for _ in 0..<capacity where left > 0 {
            // What ends at midnight belongs to the day before.
            let day = UTCTime(milliseconds: end &- 1)
            let piece = min(left, Int64(day.millisecondsOfDay) + 1)
            body(day.date, Double(piece) / Double(whole))
            (left, end) = (left - piece, end &- piece)
        }
    }

    private mutating func bound() {
        while days.count > PowerLedger.capacity, let first = days.keys.min() { days[first] = nil }
    }
}
