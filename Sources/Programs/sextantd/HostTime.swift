import CLinux
import Chronology
import Glibc
import SextantAPI
import SystemCalls

/// The host's clock.
enum HostTime {
    /// The host's UTC time.
    static var now: UTCTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UTCTime(milliseconds: 0).advanced(
            by: .milliseconds(1000) * time.tv_sec + Instant.Span(nanoseconds: Int64(time.tv_nsec)))
    }

    /// The host's UTC time; `nil` if the host's clock was never set.
    static var nowIfSet: UTCTime? {
        let now = now
        return now >= UTCTime(rfc3339: SextantVersion.releaseDate) ?? now ? now : nil
    }

    /// The host's UTC time, or the release date if the host's clock was never set.
    static var plausibleNow: UTCTime { max(now, UTCTime(rfc3339: SextantVersion.releaseDate) ?? now) }
}
