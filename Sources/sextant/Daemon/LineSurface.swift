import Chronology

/// News as lines, for pipes and files. That the daemon is away goes to standard error.
struct LineSurface: LiveSurface {
    static var signals: [Int32] { [] }

    /// Prints the lines of a piece of news.
    let print: (DaemonFeed.Event) throws(CommandError) -> Void
    private var isLost = false

    init(_ print: @escaping (DaemonFeed.Event) throws(CommandError) -> Void) {
        self.print = print
    }

    var descriptors: [Int32] { [] }
    var deadline: Instant? { nil }

    mutating func show(_ events: [DaemonFeed.Event], at now: Instant) throws(CommandError) {
        for event in events {
            switch event {
            case .lost(let error, _):
                if !isLost { StandardError.line("sextant: \(error.description); trying again until it is back") }
                isLost = true
            case .connected:
                StandardError.line("sextant: sextantd is back")
                isLost = false
            case .update, .receivers, .visit, .monitor:
                try print(event)
            }
        }
    }

    mutating func receive(signal: Int32) {}
    mutating func wantsToEnd() -> Bool { false }
    mutating func end() {}
}
