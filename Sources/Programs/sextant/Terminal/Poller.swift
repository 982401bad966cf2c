import CLinux
import Chronology
import Glibc
import SystemCalls

/// The only place where the commands block.
enum Poller {
    /// Waits until a descriptor is readable or closed, or until the deadline. Returns the readable
    /// descriptors.
    static func readable(_ descriptors: [Int32], until deadline: Instant?) throws(CommandError) -> Set<Int32> {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        do throws(SystemError) {
            try systemCall("cannot wait for input") {
                poll(&entries, nfds_t(entries.count), milliseconds(until: deadline))
            }
        } catch {
            throw CommandError(error)
        }
        return Set(entries.filter { $0.revents != 0 }.map(\.fd))
    }

    /// Returns the timeout for poll(2). It is rounded up, so that the deadline has passed
    /// afterwards; -1 waits without limit.
    private static func milliseconds(until deadline: Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let remaining = (deadline - HostClock.now).nanoseconds
        return remaining <= 0 ? 0 : Int32(clamping: remaining / 1_000_000 + 1)
    }
}
