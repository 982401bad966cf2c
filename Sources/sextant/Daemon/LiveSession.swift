import Chronology
import Glibc

/// Where live news is shown: a screen, or lines.
protocol LiveSurface {
    /// Signals it wants to know of, besides those that end the program.
    static var signals: [Int32] { get }
    /// To be watched for input of its own.
    var descriptors: [Int32] { get }
    /// When it wants to be refreshed though nothing happened.
    var deadline: Instant? { get }
    /// Shows what has happened.
    mutating func show(_ events: [DaemonFeed.Event], at now: Instant) throws(CommandError)
    /// A signal of ``signals`` came.
    mutating func receive(signal: Int32) throws(CommandError)
    /// Reads its own input; true ends the session.
    mutating func wantsToEnd() -> Bool
    /// Gives back what it has taken.
    mutating func end()
}

/// The loop of every live command: the daemon's news, the terminal's, signals and the end of the time, in one wait.
struct LiveSession {
    /// How long; nil for ever.
    var duration: Instant.Span?

    /// Runs until a person, a signal or the time ends it.
    func run<Surface: LiveSurface>(_ feed: consuming DaemonFeed, on surface: consuming Surface) throws(CommandError) {
        let signals = try SignalInbox(SignalInbox.ending + Surface.signals)
        let end = duration.map { Clock.now + $0 }
        var feed = feed
        var surface = surface
        do throws(CommandError) {
            while true {
                let now = Clock.now
                try surface.show(try feed.take(at: now), at: now)
                if let end, now >= end { break }
                let deadline = earliest(end, earliest(feed.deadline, surface.deadline))
                let ready = try Wait.readable([signals.descriptor] + surface.descriptors + feed.descriptors, until: deadline)
                if ready.contains(signals.descriptor), try handle(signals.take(), &surface) { break }
                if !ready.isDisjoint(with: surface.descriptors), surface.wantsToEnd() { break }
            }
        } catch {
            surface.end()
            throw error
        }
        surface.end()
    }

    private func handle(_ signals: [Int32], _ surface: inout some LiveSurface) throws(CommandError) -> Bool {
        for signal in signals {
            if SignalInbox.ending.contains(signal) { return true }
            try surface.receive(signal: signal)
        }
        return false
    }
}
