import Chronology

/// Prints events as lines, for pipes and files. Connection losses go to standard error.
struct PlainOutput: LiveOutput {
    static var signals: [Int32] { [] }

    /// Prints the lines of one event.
    let print: (DaemonFeed.Event) throws(CommandError) -> Void
    private var connectionMessages = ConnectionMessages()

    init(_ print: @escaping (DaemonFeed.Event) throws(CommandError) -> Void) {
        self.print = print
    }

    var descriptors: [Int32] { [] }
    var deadline: Instant? { nil }

    mutating func show(_ events: [DaemonFeed.Event], at now: Instant) throws(CommandError) {
        for event in events {
            switch event {
            case .disconnected(let error, _): connectionMessages.reportLoss(error)
            case .connected: connectionMessages.reportReconnection()
            case .update, .receivers, .visit, .monitor: try print(event)
            }
        }
    }

    mutating func receive(signal: Int32) {}
    mutating func readsQuitRequest() -> Bool { false }
    mutating func end() {}
}
