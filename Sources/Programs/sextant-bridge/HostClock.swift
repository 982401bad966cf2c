import Chronology
import Glibc

/// The host's clock, for times in answers and for chrony.
enum HostClock {
    /// The host's time of day.
    static var now: timespec {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time
    }

    /// The host's UTC time.
    static var utc: UTCTime {
        let time = now
        return UTCTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
