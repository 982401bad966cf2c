import Chronology
import Glibc

/// A picture that changes with the daemon's news.
protocol LivePicture {
    /// Takes one piece of news in.
    mutating func take(_ event: DaemonFeed.Event, at now: Instant)
    /// The whole picture at that size.
    func draw(_ size: TerminalSize, at now: Instant) -> Canvas
    /// A line that stays on the terminal after the end; nil for none.
    var farewell: String? { get }
}

extension LivePicture {
    var farewell: String? { nil }
}

/// A picture on the full screen.
struct ScreenSurface<Picture: LivePicture>: LiveSurface {
    static var signals: [Int32] { [SIGWINCH, SIGTSTP] }

    /// Ages and countdowns are counted in seconds.
    private let refresh = Instant.Span.seconds(1)
    private let screen: TerminalScreen
    private var picture: Picture
    private(set) var deadline: Instant?
    private var ignoresKeys = false

    /// Takes the screen.
    init(_ picture: Picture, _ look: Look) throws(CommandError) {
        self.picture = picture
        screen = TerminalScreen(look)
        try screen.enter()
    }

    var descriptors: [Int32] { ignoresKeys ? [] : screen.keys.map { [$0] } ?? [] }

    mutating func show(_ events: [DaemonFeed.Event], at now: Instant) throws(CommandError) {
        for event in events { picture.take(event, at: now) }
        let isDue = deadline.map { now >= $0 } ?? true
        guard isDue || !events.isEmpty else { return }
        deadline = now + refresh
        try screen.show(picture.draw(.ofStandardOutput, at: now))
    }

    mutating func receive(signal: Int32) throws(CommandError) {
        if signal == SIGTSTP {
            screen.leave()
            raise(SIGSTOP)
            // Here the shell has brought us back.
            try screen.enter()
        }
        screen.invalidate()
        deadline = nil
    }

    mutating func wantsToEnd() -> Bool {
        let keys = screen.pressed()
        // A terminal that is readable and has nothing is gone; SIGHUP tells in its own time.
        if keys.isEmpty { ignoresKeys = true }
        return keys.contains { $0 == UInt8(ascii: "q") || $0 == UInt8(ascii: "Q") || $0 == 0x1B && keys.count == 1 }
    }

    mutating func end() {
        screen.leave()
        if let farewell = picture.farewell { try? StandardOutput.write(lines: [farewell]) }
    }
}
