import Glibc
import TestSupport

/// A time by which an expected event must occur.
package struct Deadline {
    private let end: ContinuousClock.Instant

    package init(_ span: Duration) { end = ContinuousClock.now + span }

    package var isPast: Bool { ContinuousClock.now >= end }

    /// The remaining time for poll(2), rounded up so that the deadline has passed when the wait
    /// ends.
    package var millisecondsLeft: Int32 {
        let (seconds, attoseconds) = (end - ContinuousClock.now).components
        return Int32(clamping: max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
    }
}

/// The default timeout: long enough for a slow, busy machine; only failures reach it.
package let timeout = Duration.seconds(20)

/// Polls `condition` every few milliseconds until it holds.
package func waitUntil(
    _ what: @autoclosure () -> String, within span: Duration = timeout, _ condition: () throws -> Bool
)
    throws
{
    let deadline = Deadline(span)
    while try !condition() {
        guard !deadline.isPast else { throw TestFailure("not within \(span): \(what())") }
        _ = poll(nil, 0, 3)
    }
}

/// Waits until a descriptor is readable; returns false on a timeout.
package func waitReadable(_ descriptor: Int32, within span: Duration = timeout) -> Bool {
    let deadline = Deadline(span)
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
        let ready = poll(&entry, 1, deadline.millisecondsLeft)
        if ready > 0 { return true }
        if deadline.isPast { return false }
    }
}

/// Returns the seconds that `work` takes.
package func seconds(_ work: () throws -> Void) rethrows -> Double {
    let (seconds, attoseconds) = try ContinuousClock().measure(work).components
    return Double(seconds) + Double(attoseconds) / 1e18
}

/// Polls `condition` every few milliseconds until it holds, without blocking the thread.
package nonisolated(nonsending) func eventually(
    _ what: @autoclosure () -> String, within span: Duration = timeout,
    _ condition: nonisolated(nonsending) () async throws -> Bool
) async throws {
    let deadline = Deadline(span)
    while try await !condition() {
        guard !deadline.isPast else { throw TestFailure("not within \(span): \(what())") }
        try await Task.sleep(for: .milliseconds(3))
    }
}
