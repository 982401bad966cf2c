import Chronology
import Glibc
import SystemCalls

/// The host's clock dates connections and checks certificates, never positions.
extension HostClock {
    /// Before this time, the clock of the host is not set: no certificate can be valid.
    private static let earliest = UTCTime(milliseconds: 1_750_000_000_000)

    /// Whether the clock has been set, as far as that can be known.
    static var isSet: Bool { utc >= earliest }

    /// The minute of the day by local time, 0 to 1439.
    static func minuteOfDay(_ time: UTCTime) -> Int {
        var seconds = time_t(time.wholeSeconds)
        var local = tm()
        guard localtime_r(&seconds, &local) != nil else { return 0 }
        return Int(local.tm_hour) * 60 + Int(local.tm_min)
    }

    /// The month of the host's time, such as 202611.
    static var month: Int64 {
        let day = utc.date.components
        return Int64(day.year) * 100 + Int64(day.month)
    }
}
