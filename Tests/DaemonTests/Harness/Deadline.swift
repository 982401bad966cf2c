import Glibc

/// A moment by which something must have happened.
struct Deadline {
    private let end: ContinuousClock.Instant

    init(_ span: Duration) { end = ContinuousClock.now + span }

    var isPast: Bool { ContinuousClock.now >= end }

    /// For poll(2): rounded up, so that the deadline has passed when the wait is over.
    var millisecondsLeft: Int32 {
        let (seconds, attoseconds) = (end - ContinuousClock.now).components
        return Int32(clamping: max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
    }
}

/// Something that was waited for in vain, or went otherwise than it must.
struct Disappointment: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Long enough for a slow machine that does other things too; reached only by failures.
let patience = Duration.seconds(20)

/// Looks every few milliseconds whether `condition` holds.
func waitUntil(_ what: @autoclosure () -> String, within span: Duration = patience, _ condition: () throws -> Bool) throws {
    let deadline = Deadline(span)
    while try !condition() {
        guard !deadline.isPast else { throw Disappointment("not within \(span): \(what())") }
        _ = poll(nil, 0, 3)
    }
}

/// Waits for a descriptor; false when the time is up.
func waitReadable(_ descriptor: Int32, within span: Duration = patience) -> Bool {
    let deadline = Deadline(span)
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
        let ready = poll(&entry, 1, deadline.millisecondsLeft)
        if ready > 0 { return true }
        if deadline.isPast { return false }
    }
}

/// Seconds that something took.
func seconds(_ work: () throws -> Void) rethrows -> Double {
    let (seconds, attoseconds) = try ContinuousClock().measure(work).components
    return Double(seconds) + Double(attoseconds) / 1e18
}
