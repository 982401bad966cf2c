import Chronology
import Glibc

/// A view that changes with the events of the daemon.
protocol LiveView {
    mutating func update(with event: DaemonFeed.Event, at now: Instant)
    func draw(_ size: TerminalSize, at now: Instant) -> Canvas
    /// A line that stays on the terminal after the end; nil for none.
    var closingLine: String? { get }
}

extension LiveView {
    var closingLine: String? { nil }
}

/// Shows a view on the full screen.
struct ScreenOutput<View: LiveView>: LiveOutput {
    static var signals: [Int32] { [SIGWINCH, SIGTSTP] }
    /// Ctrl-L (form feed), which repaints the screen in most full-screen programs.
    private static var repaintKey: UInt8 { 0x0C }

    /// One second: the view shows ages and countdowns in seconds.
    private let refresh = Instant.Span.seconds(1)
    /// A message of another program, such as a background job, stays this long at most.
    private let repaintInterval = Instant.Span.seconds(5)
    private let screen: TerminalScreen
    private var view: View
    private(set) var deadline: Instant?
    private var nextRepaint: Instant?
    private var ignoresKeys = false

    /// Creates the output and enters the full screen.
    init(_ view: View, capabilities: TerminalCapabilities) throws(CommandError) {
        self.view = view
        screen = TerminalScreen(capabilities)
        try screen.enter()
    }

    var descriptors: [Int32] { ignoresKeys ? [] : screen.keys.map { [$0] } ?? [] }

    mutating func show(_ events: [DaemonFeed.Event], at now: Instant) throws(CommandError) {
        for event in events { view.update(with: event, at: now) }
        let isDue = deadline.map { now >= $0 } ?? true
        guard isDue || !events.isEmpty else { return }
        deadline = now + refresh
        if nextRepaint.map({ now >= $0 }) ?? true {
            screen.repaint()
            nextRepaint = now + repaintInterval
        }
        try screen.show(view.draw(.ofStandardOutput, at: now))
    }

    mutating func receive(signal: Int32) throws(CommandError) {
        if signal == SIGTSTP {
            screen.leave()
            raise(SIGSTOP)
            // The shell has resumed this process.
            try screen.enter()
        }
        screen.invalidate()
        deadline = nil
    }

    mutating func readsQuitRequest() -> Bool {
        let keys = screen.pressed()
        // A terminal that is readable but has no data has hung up. SIGHUP ends the session.
        if keys.isEmpty { ignoresKeys = true }
        if keys.contains(ScreenOutput.repaintKey) {
            screen.invalidate()
            deadline = nil
        }
        return keys.contains { $0 == UInt8(ascii: "q") || $0 == UInt8(ascii: "Q") || $0 == 0x1B && keys.count == 1 }
    }

    mutating func end() {
        screen.leave()
        if let closingLine = view.closingLine { try? StandardOutput.write(lines: [closingLine]) }
    }
}
