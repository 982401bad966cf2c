import Chronology
import Glibc
import SystemCalls

/// The output of a live command: a full screen or lines.
protocol LiveOutput {
    /// Signals to handle in addition to those that end the program.
    static var signals: [Int32] { get }
    /// The file descriptors of its own input to poll.
    var descriptors: [Int32] { get }
    /// When to refresh the output without new events.
    var deadline: Instant? { get }
    /// Shows the events.
    mutating func show(_ events: [DaemonFeed.Event], at now: Instant) throws(CommandError)
    /// Handles one of ``signals``.
    mutating func receive(signal: Int32) throws(CommandError)
    /// Reads its own input; returns true to end the session.
    mutating func readsQuitRequest() -> Bool
    /// Releases its resources and restores the terminal.
    mutating func end()
}

/// The event loop of every live command. It waits for the daemon, the terminal, signals and the end
/// of the duration in one call.
struct LiveSession {
    /// How long to run; nil for no limit.
    var duration: Instant.Span?

    /// Runs until the user, a signal or the duration ends it.
    func run<Output: LiveOutput>(_ feed: consuming DaemonFeed, on output: consuming Output) throws(CommandError) {
        let signals = try SignalDescriptor(SignalDescriptor.terminating + Output.signals)
        let end = duration.map { HostClock.now + $0 }
        var feed = feed
        var output = output
        do throws(CommandError) {
            while true {
                let now = HostClock.now
                try output.show(try feed.receiveEvents(at: now), at: now)
                if let end, now >= end { break }
                let deadline = earliest(end, earliest(feed.deadline, output.deadline))
                let ready = try Poller.readable(
                    [signals.descriptor] + output.descriptors + feed.descriptors, until: deadline)
                if ready.contains(signals.descriptor), try handle(signals.readPending(), for: &output) { break }
                if !ready.isDisjoint(with: output.descriptors), output.readsQuitRequest() { break }
            }
        } catch {
            output.end()
            throw error
        }
        output.end()
    }

    private func handle(_ signals: [Int32], for output: inout some LiveOutput) throws(CommandError) -> Bool {
        for signal in signals {
            if SignalDescriptor.terminating.contains(signal) { return true }
            try output.receive(signal: signal)
        }
        return false
    }
}
