import CLinux
import Chronology
import Glibc

/// The only clock access of the simulator.
package enum SimulatorClock {
    /// The current time of the boot-time clock, which continues while the machine sleeps.
    package static var now: Instant { Instant(nanoseconds: read(CLOCK_BOOTTIME)) }

    /// The current UTC time of the host.
    package static var utc: UTCTime { UTCTime(milliseconds: read(CLOCK_REALTIME) / 1_000_000) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
