import Chronology

/// Prints events as lines, for pipes and files. Connection losses go to standard error.
struct PlainOutput: LiveOutput {
    static var signals: [Int32] { [] }

    /// Prints the lines of one event.
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

    var descriptors: [Int32] { [] }
    var deadline: Instant? { acknowledger?.deadline }

    mutating func show(_ events: [DaemonFeed.Event], at now: Instant) throws(CommandError) {
        for event in events {
            switch event {
            case .disconnected(let error, _): connectionMessages.reportLoss(error)
            case .connected: connectionMessages.reportReconnection()
            case .hung(let error): connectionMessages.reportHang(error)
            case .replied: connectionMessages.reportReply()
            case .update, .receivers, .visit, .heading, .monitor, .agent, .sentences: try print(event)
            }
        }
        try acknowledger?.retry(at: now)
    }

    mutating func receive(signal: Int32) {}
    mutating func readsQuitRequest() -> Bool { false }
    mutating func end() {}
}
