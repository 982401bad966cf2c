import Chronology

/// Limits the commands of a server, so that a hostile one cannot keep the device and the daemon
/// busy.
package struct CommandLimit: Sendable {
    /// The number of commands at once.
    package static let burst = 10
    /// The time in which one more command is allowed.
    package static let interval = Instant.Span.seconds(6)

    private var allowed = CommandLimit.burst
    private var since: Instant?

    /// Creates a limit that allows a burst.
    package init() {}

    /// Returns whether a command is carried out now, and counts it.
    package mutating func allows(at now: Instant) -> Bool {
        while let since, now - since >= CommandLimit.interval, allowed < CommandLimit.burst {
            allowed += 1
            self.since = since + CommandLimit.interval
        }
        if allowed == CommandLimit.burst { since = now }
        guard allowed > 0 else { return false }
        allowed -= 1
        return true
    }
}
