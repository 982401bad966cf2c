/// A UTC time of a receiver or of the host's clock, in milliseconds since 1970-01-01T00:00:00Z
/// without leap seconds.
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

/// A day of the proleptic Gregorian calendar, in UTC.
public struct CivilDate: Sendable, Hashable, Comparable {
    /// Days since 1970-01-01; negative before it.
    public var daysSince1970: Int

    /// Creates the day `daysSince1970` days after 1970-01-01.
    public init(daysSince1970: Int) {
        self.daysSince1970 = daysSince1970
    }

    /// Creates a day from year, month and day; nil if the calendar has no such day.
    ///
    /// - Parameters:
    ///   - year: 1 ... 9999.
    ///   - month: 1 ... 12.
    ///   - day: 1 ... the length of that month.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= CivilDate.dayCount(ofMonth: month, year: year)
        else {
            return nil
        }
        // This is the days-from-civil algorithm: the year starts in March, so the leap day is its
        // last day (H. Hinnant, "chrono-compatible low-level date algorithms").
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        daysSince1970 = era * 146_097 + dayOfEra - 719_468
    }

    /// Year, month (1 ... 12) and day (1 ... 31).
    public var components: (year: Int, month: Int, day: Int) {
        let z = daysSince1970 + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shifted + 2) / 5 + 1
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// Returns the number of days in a month.
    public static func dayCount(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns whether `a` is earlier than `b`.
    public static func < (a: CivilDate, b: CivilDate) -> Bool { a.daysSince1970 < b.daysSince1970 }
}
