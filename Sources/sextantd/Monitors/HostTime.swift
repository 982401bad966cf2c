import CLinux
import Chronology
import Glibc
import Wire

/// The host's calendar.
enum HostTime {
    /// Its UTC.
    static var now: UTCTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UTCTime(milliseconds: Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000)
    }

    /// The same, or the day of the release on a host whose clock was never set.
    static var likely: UTCTime { max(now, UTCTime(rfc3339: SextantVersion.released) ?? now) }
}
