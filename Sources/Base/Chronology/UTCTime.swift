/// A UTC time as reported by a receiver, in milliseconds since 1970-01-01T00:00:00Z without leap
/// seconds.
///
/// This type differs from ``Instant`` because it is input data: it may be wrong and may jump.
public struct UTCTime: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970 in POSIX time.
    public var milliseconds: Int64

    /// Creates the time `milliseconds` after 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Creates the time `millisecondsOfDay` after midnight of `date`.
    ///
    /// Values of 86,400,000 or more, such as a leap second, fall on the next day.
    public init(date: CivilDate, millisecondsOfDay: Int) {
        milliseconds = Int64(date.daysSince1970) * UTCTime.millisecondsPerDay + Int64(millisecondsOfDay)
    }

    /// Milliseconds in a day.
    public static let millisecondsPerDay: Int64 = 86_400_000

    /// The UTC day that contains this time.
    public var date: CivilDate {
        CivilDate(daysSince1970: Int(wholeUnits(of: UTCTime.millisecondsPerDay)))
    }

    /// The seconds since 1970, rounded down.
    public var wholeSeconds: Int64 { wholeUnits(of: 1000) }

    /// The time in units of `length` milliseconds, rounded down, for any time.
    private func wholeUnits(of length: Int64) -> Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: length)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Milliseconds since midnight, 0 ..< 86,400,000.
    public var millisecondsOfDay: Int {
        let remainder = milliseconds % UTCTime.millisecondsPerDay
        return Int(remainder < 0 ? remainder + UTCTime.millisecondsPerDay : remainder)
    }

    /// The year with the elapsed part of the year as a fraction: 2028.5 at noon of the middle day
    /// of 2028.
    public var decimalYear: Double {
        let day = date.components
        var daysBefore = day.day - 1
        for month in 1..<max(day.month, 1) { daysBefore += CivilDate.dayCount(ofMonth: month, year: day.year) }
        let length = CivilDate.dayCount(ofMonth: 2, year: day.year) == 29 ? 366.0 : 365
        return Double(day.year) + (Double(daysBefore) + Double(millisecondsOfDay) / Double(UTCTime.millisecondsPerDay))
            / length
    }

    /// Returns the span from `earlier` to this time, clamped to 292 years in both directions.
    public func span(since earlier: UTCTime) -> Instant.Span {
        .milliseconds(milliseconds.clampedDifference(earlier.milliseconds))
    }

    /// Returns this time moved by a span, with millisecond resolution.
    public func advanced(by span: Instant.Span) -> UTCTime {
        UTCTime(milliseconds: milliseconds.clampedSum(span.nanoseconds / 1_000_000))
    }

    /// Returns whether `a` is earlier than `b`.
    public static func < (a: UTCTime, b: UTCTime) -> Bool { a.milliseconds < b.milliseconds }
}
