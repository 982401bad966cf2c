import Chronology
import Glibc

/// A time in the time zone of the user, from `TZ` or /etc/localtime.
struct LocalTime {
    /// The local time as if it were UTC.
    let time: UTCTime
    /// The abbreviation of the zone, such as "CET".
    let zone: String

    /// Converts a time. It stays in UTC if the system cannot convert it.
    init(_ utc: UTCTime) {
        var (seconds, parts) = (time_t(utc.wholeSeconds), tm())
        let isKnown = localtime_r(&seconds, &parts) != nil
        time = isKnown ? utc.advanced(by: .seconds(Double(parts.tm_gmtoff))) : utc
        zone = isKnown ? parts.tm_zone.map { String(cString: $0) } ?? "" : "UTC"
    }

    /// Returns when a day begins in the time zone of the user.
    ///
    /// Where clocks change at midnight, there are two or none: this is the first time of the day.
    static func start(of date: CivilDate) -> UTCTime {
        let midnights = [1, 0, -1].map { midnight(of: date, isDaylight: $0) }
        return midnights.filter { LocalTime($0).time.date == date }.min() ?? midnights[2]
    }

    /// Returns midnight by daylight saving time (1), standard time (0) or the system's choice (-1).
    private static func midnight(of date: CivilDate, isDaylight: Int32) -> UTCTime {
        let day = date.components
        var parts = tm()
        parts.tm_year = Int32(day.year - 1900)
        parts.tm_mon = Int32(day.month - 1)
        parts.tm_mday = Int32(day.day)
        parts.tm_isdst = isDaylight
        return UTCTime(milliseconds: Int64(mktime(&parts)) * 1000)
    }
}
