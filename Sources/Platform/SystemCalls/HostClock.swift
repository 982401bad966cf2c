import CLinux
import Chronology
import Glibc

/// The clocks of this machine. Only the outermost layer reads them.
package enum HostClock {
    /// The current instant, for measuring.
    package static var now: Instant { Instant(nanoseconds: max(0, linux_boottime_nanoseconds())) }

    /// The time since boot without suspensions.
    package static var uptime: Instant.Span { Instant.Span(nanoseconds: linux_monotonic_microseconds() * 1000) }

    /// The time since 1970.
    package static var time: (seconds: Int64, nanoseconds: Int64) {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return (Int64(time.tv_sec), Int64(time.tv_nsec))
    }

    package static var utc: UTCTime {
        let time = time
        return UTCTime(milliseconds: time.seconds * 1000 + time.nanoseconds / 1_000_000)
    }

    /// The maximum error of the clock; `nil` if it is not known to be synchronized by NTP or PPS.
    ///
    /// The kernel states it. A service with `ProtectClock=` may not ask the kernel. There the file
    /// counts that systemd-timesyncd touches when it has set the clock, at least every 34 minutes.
    package static var synchronizedError: Instant.Span? {
        let microseconds = linux_clock_maximum_error(.max)
        if microseconds >= 0 { return Instant.Span(nanoseconds: microseconds * 1000) }
        var status = stat()
        guard errno == EPERM, stat("/run/systemd/timesync/synchronized", &status) == 0 else { return nil }
        return (0...3600).contains(time.seconds - Int64(status.st_mtim.tv_sec)) ? .seconds(1) : nil
    }

    /// The maximum error of the clock; `nil` if the kernel does not call it synchronized, or still
    /// corrects it by more than 10 ms: systemd-timesyncd states no error while 0.4 s are corrected.
    package static var settledError: Instant.Span? {
        let microseconds = linux_clock_maximum_error(10_000)
        return microseconds >= 0 ? Instant.Span(nanoseconds: microseconds * 1000) : nil
    }

    /// The current UTC; `nil` if the clock was never set.
    package static var utcIfSet: UTCTime? {
        let now = utc
        return now >= UTCTime(rfc3339: SextantVersion.releaseDate) ?? now ? now : nil
    }

    /// The current UTC, or the release date if the clock was never set.
    package static var plausibleUTC: UTCTime {
        let now = utc
        return max(now, UTCTime(rfc3339: SextantVersion.releaseDate) ?? now)
    }
}
