import ArgumentParser
import Chronology
import Glibc
import SystemCalls

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

/// A time on the command line: a date in local time, or a time in the format RFC 3339.
struct MomentArgument: ExpressibleByArgument, Equatable {
    /// The time; of a date, when it begins in the time zone of the user.
    let time: UTCTime
    /// The time as on the wire.
    var text: String { time.description }

    init?(argument: String) {
        guard let time = UTCTime(rfc3339: argument) else { return nil }
        self.time = argument.contains(":") ? time : LocalTime.start(of: time.date)
    }
}

/// Times and durations as text.
enum TimeText {
    /// Returns seconds as "0.3 s", "42 s", "3 min 5 s", "2 h 7 min" or "3 d 4 h".
    static func span(_ seconds: Double) -> String {
        guard seconds >= 10 else { return DecimalText.text(max(0, seconds), decimals: 1) + " s" }
        let whole = Int(min(seconds, 1e12).rounded())
        switch whole {
        case ..<60: return "\(whole) s"
        case ..<3600: return "\(whole / 60) min \(whole % 60) s"
        case ..<86_400: return "\(whole / 3600) h \(whole / 60 % 60) min"
        default: return "\(whole / 86_400) d \(whole / 3600 % 24) h"
        }
    }

    /// Returns a wire timestamp in local time as "21 Nov 2026 08:22:02 CET"; unchanged if it is not
    /// a timestamp.
    static func moment(_ timestamp: String) -> String {
        UTCTime(rfc3339: timestamp).map { moment($0) } ?? TerminalText.sanitized(timestamp)
    }

    /// Returns a time in local time as "21 Nov 2026 08:22:02 CET".
    static func moment(_ time: UTCTime) -> String {
        let local = LocalTime(time)
        return "\(day(local.time.date)) \(clock(time)) \(local.zone)"
    }

    /// Returns the local time of day such as "08:22:02".
    static func clock(_ time: UTCTime) -> String {
        let seconds = LocalTime(time).time.millisecondsOfDay / 1000
        return [seconds / 3600, seconds / 60 % 60, seconds % 60].map { DecimalText.padded(String($0), to: 2) }
            .joined(separator: ":")
    }

    /// Returns the local time of day such as "08:22".
    static func minutes(_ time: UTCTime) -> String { String(clock(time).prefix(5)) }

    /// Returns a date such as "21 Nov 2026".
    static func day(_ date: CivilDate) -> String {
        let parts = date.components
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(parts.day) \(names[(parts.month + 11) % 12]) \(parts.year)"
    }
}
