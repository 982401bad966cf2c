import Chronology
import SystemCalls

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

    /// Returns a date such as "21 Nov 2026".
    static func day(_ date: CivilDate) -> String {
        let parts = date.components
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(parts.day) \(names[(parts.month + 11) % 12]) \(parts.year)"
    }
}
