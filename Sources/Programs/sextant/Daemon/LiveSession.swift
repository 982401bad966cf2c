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
    mutating func show(_ events: [DaemonFeed.Event], at now: Instant) throws(CommandError)
    /// Handles one of ``signals``.
    mutating func receive(signal: Int32) throws(CommandError)
    /// Reads its own input; returns true to end the session.
    mutating func readsQuitRequest() -> Bool
    /// Releases its resources and restores the terminal.
    mutating func end()
}

/// An output without signals, input and resources of its own.
extension LiveOutput {
    static var signals: [Int32] { [] }
    var descriptors: [Int32] { [] }
    mutating func receive(signal: Int32) {}
    mutating func readsQuitRequest() -> Bool { false }
    mutating func end() {}
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

/// Prints to standard error that the connection to the daemon is lost or restored, once each time.
struct ConnectionMessages {
    private var isDisconnected = false

    /// Reports a lost or restored connection, and a daemon that does not reply or replies again.
    /// Returns false for other events.
    @discardableResult
    mutating func report(_ event: DaemonFeed.Event) -> Bool {
        switch event {
        case .disconnected(let error, _): lose("\(error.description); retrying until the connection is restored")
        case .hung(let error): lose("\(error.description); waiting until it replies")
        case .connected: restore("reconnected to sextantd")
        case .replied: restore("sextantd replies again")
        case .update, .receivers, .visit, .heading, .beacons, .monitor, .agent, .sentences: return false
        }
        return true
    }

    /// Prints a loss. Failed attempts to restore the connection are not printed again.
    private mutating func lose(_ text: String) {
        guard !isDisconnected else { return }
        isDisconnected = true
        StandardError.line("sextant: \(text)")
    }

    private mutating func restore(_ text: String) {
        isDisconnected = false
        StandardError.line("sextant: \(text)")
    }
}

/// Prints events as lines, for pipes and files. Connection losses go to standard error.
struct PlainOutput: LiveOutput {
    let print: (DaemonFeed.Event) throws(CommandError) -> Void
    /// Acknowledges the printed events; nil for events that need none.
    private let acknowledger: EventAcknowledger?
    private var connectionMessages = ConnectionMessages()

    init(
        acknowledgingWith acknowledger: EventAcknowledger? = nil,
        _ print: @escaping (DaemonFeed.Event) throws(CommandError) -> Void
    ) {
        self.acknowledger = acknowledger
        self.print = print
    }

    var deadline: Instant? { acknowledger?.deadline }

    mutating func show(_ events: [DaemonFeed.Event], at now: Instant) throws(CommandError) {
        for event in events {
            if !connectionMessages.report(event) { try print(event) }
        }
        try acknowledger?.retry(at: now)
    }
}
