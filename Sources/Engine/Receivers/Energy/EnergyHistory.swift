import Chronology

/// The energy use of each day in the host's UTC.
package struct EnergyHistory: Sendable, Equatable {
    /// The number of days to keep, including the current one.
    package static let capacity = 60

    /// The end of the year 9999, in milliseconds since 1970.
    private static let latest: Int64 = 253_402_300_799_999

    package private(set) var days: [CivilDate: EnergyUse] = [:]

    /// Creates an empty history.
    package init() {}

    package var isEmpty: Bool { days.isEmpty }

    /// Adds an interval that ended at a UTC time; splits it at midnight.
    package mutating func add(_ interval: PowerInterval, endingAt end: UTCTime) {
        EnergyHistory.divide(interval.span, endingAt: end) {
            days[$0, default: EnergyUse()].add(interval, fraction: $1)
        }
        bound()
    }

    /// Adds wakeups during an interval that ended at a UTC time.
    package mutating func add(wakeups: Double, over span: Instant.Span, endingAt end: UTCTime) {
        guard wakeups > 0 else { return }
        EnergyHistory.divide(span, endingAt: end) { days[$0, default: EnergyUse()].wakeups += wakeups * $1 }
        bound()
    }

    package mutating func add(_ period: EnergyUse, on day: CivilDate) {
        days[day, default: EnergyUse()].add(period)
        bound()
    }

    /// Adds the days of another history.
    package mutating func add(_ other: EnergyHistory) {
        for (day, period) in other.days { add(period, on: day) }
    }

    /// Moves the energy use of all days to later or, for a negative count, earlier days.
    package mutating func move(by count: Int) {
        let old = days
        days = [:]
        for (day, use) in old { days[CivilDate(daysSince1970: day.daysSince1970 + count)] = use }
    }

    /// Calls `body` with each day that an interval covers and the fraction of the interval on that
    /// day, 0 to 1.
    private static func divide(_ span: Instant.Span, endingAt end: UTCTime, into body: (CivilDate, Double) -> Void) {
        let whole = span.nanoseconds / 1_000_000
        // The host clock may be wrong by any amount; clamp it to the range of valid dates.
        var (left, end) = (whole, min(max(end.milliseconds, 1), latest))
        guard whole > 0 else {
            if span > .zero { body(UTCTime(milliseconds: end).date, 1) }
            return
        }
        for _ in 0..<capacity where left > 0 {
            // An interval that ends at midnight belongs to the day before.
            let day = UTCTime(milliseconds: end - 1)
            let piece = min(left, Int64(day.millisecondsOfDay) + 1)
            body(day.date, Double(piece) / Double(whole))
            (left, end) = (left - piece, end - piece)
        }
    }

    private mutating func bound() {
        while days.count > EnergyHistory.capacity, let first = days.keys.min() { days[first] = nil }
    }
}
