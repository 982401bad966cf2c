/// A moment of UTC as a receiver states it: milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
///
/// A different type from ``Instant`` on purpose: it is data, may be wrong, and may jump.
public struct UTCTime: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970, as POSIX counts them.
    public var milliseconds: Int64

    /// The moment that many milliseconds after 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// A day and the milliseconds into it; 86,400,000 and more run into the next day (a leap second does).
    public init(date: CivilDate, millisecondsOfDay: Int) {
        milliseconds = Int64(date.daysSince1970) * UTCTime.day + Int64(millisecondsOfDay)
    }

    /// Milliseconds in a day.
    public static let day: Int64 = 86_400_000

    /// The day this moment lies in.
    public var date: CivilDate {
        CivilDate(daysSince1970: Int((milliseconds >= 0 ? milliseconds : milliseconds - (UTCTime.day - 1)) / UTCTime.day))
    }

    /// Milliseconds since that day began, 0 ..< 86,400,000.
    public var millisecondsOfDay: Int {
        Int(milliseconds - Int64(date.daysSince1970) * UTCTime.day)
    }

    /// The year and the part of it that has passed: 2028.5 at noon of the middle day of 2028.
    public var decimalYear: Double {
        let (year, month, day) = date.components
        var daysBefore = day - 1
        for earlier in 1..<max(month, 1) { daysBefore += CivilDate.length(ofMonth: earlier, year: year) }
        let length = CivilDate.length(ofMonth: 2, year: year) == 29 ? 366.0 : 365
        return Double(year) + (Double(daysBefore) + Double(millisecondsOfDay) / Double(UTCTime.day)) / length
    }

    /// The span from `earlier` to this moment.
    public func since(_ earlier: UTCTime) -> Instant.Span {
        .milliseconds(milliseconds - earlier.milliseconds)
    }

    /// This moment moved by a span, to the millisecond.
    public func advanced(by span: Instant.Span) -> UTCTime {
        UTCTime(milliseconds: milliseconds + span.nanoseconds / 1_000_000)
    }

    /// Whether `a` comes before `b`.
    public static func < (a: UTCTime, b: UTCTime) -> Bool { a.milliseconds < b.milliseconds }
}
