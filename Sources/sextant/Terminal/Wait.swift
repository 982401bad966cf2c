import CLinux
import Chronology
import Glibc
import SystemCalls

/// The one place where the commands wait.
enum Wait {
    /// Returns when one of the descriptors can be read, or is closed, or the deadline has come: those that can be read.
    static func readable(_ descriptors: [Int32], until deadline: Instant?) throws(CommandError) -> Set<Int32> {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        do throws(SystemError) {
            try systemCall("cannot wait for input") { poll(&entries, nfds_t(entries.count), milliseconds(until: deadline)) }
        } catch {
            throw CommandError(error)
        }
        return Set(entries.filter { $0.revents != 0 }.map(\.fd))
    }

    /// For poll(2): rounded up, so that the deadline has passed when it returns; -1 waits for ever.
    private static func milliseconds(until deadline: Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let left = (deadline - Clock.now).nanoseconds
        return left <= 0 ? 0 : Int32(clamping: (left &+ 999_999) / 1_000_000)
    }
}

/// The clocks of this machine, read at the edge only.
enum Clock {
    /// Now, for measuring.
    static var now: Instant { Instant(nanoseconds: linux_boottime_nanoseconds()) }

    /// What the host takes for UTC.
    static var utc: UTCTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UTCTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
