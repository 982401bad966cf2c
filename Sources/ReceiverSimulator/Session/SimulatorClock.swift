import CLinux
import Chronology
import Glibc

/// The one place of the simulator that looks at a clock.
public enum SimulatorClock {
    /// Now, on the clock that goes on while the machine sleeps.
    public static var now: Instant { Instant(nanoseconds: read(CLOCK_BOOTTIME)) }

    /// Now, by the host's calendar.
    public static var utc: UTCTime { UTCTime(milliseconds: read(CLOCK_REALTIME) / 1_000_000) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
