import CLinux
import Chronology
import Glibc

/// The host's calendar.
enum HostTime {
    /// Its UTC.
    static var now: UTCTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UTCTime(milliseconds: Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000)
    }
}
