import Chronology
import Geofencing
import Glibc
import SextantAPI

/// Runs a command for each event of a monitor and acknowledges the events that it has handled.
struct HandlerOutput: LiveOutput {
    static var signals: [Int32] { [SIGCHLD] }

    private var queue: EventHandlerQueue
    private let acknowledger: EventAcknowledger
    /// Whether to print failures only.
    private let isQuiet: Bool
    private var process: HandlerProcess?
    private var connectionMessages = ConnectionMessages()

    init(queue: EventHandlerQueue, acknowledger: EventAcknowledger, isQuiet: Bool) {
        self.queue = queue
        self.acknowledger = acknowledger
        self.isQuiet = isQuiet
    }

    var descriptors: [Int32] { [] }
    var deadline: Instant? { earliest(queue.deadline, acknowledger.deadline) }

    mutating func show(_ events: [DaemonFeed.Event], at now: Instant) throws(CommandError) {
        for event in events { try process(event) }
        try acknowledger.retry(at: now)
        if let process {
            let (hasEnded, failure) = process.exitResult()
            if hasEnded {
                self.process = nil
                try perform(queue.commandEnded(failure: failure, at: now))
            }
        }
        while let step = queue.advance(to: now) { try perform(step) }
    }

    private mutating func process(_ event: DaemonFeed.Event) throws(CommandError) {
        switch event {
        case .monitor(let reply):
            if let monitor = reply.monitor {
                FenceWatchCommand.printProblems(of: monitor)
                try acknowledger.retryPending(monitor)
            }
            if let event = reply.event, queue.add(event) { try acknowledger.acknowledge(event.id) }
        case .disconnected(let error, _): connectionMessages.reportLoss(error)
        case .connected: connectionMessages.reportReconnection()
        case .hung(let error): connectionMessages.reportHang(error)
        case .replied: connectionMessages.reportReply()
        case .update, .receivers, .visit, .heading, .agent, .sentences: break
        }
    }

    private mutating func perform(_ step: EventHandlerQueue.Step?) throws(CommandError) {
        switch step {
        case .run(let run):
            process = try HandlerProcess(command: queue.command, run: run, monitor: queue.monitor)
            if !isQuiet { StandardError.line("sextant: running the command for: \(FenceFormatter.event(run.event))") }
        case .terminate: process?.terminate()
        case .kill: process?.kill()
        case .handled(let event): try acknowledger.acknowledge(event)
        case .failed(let run, let reason, let retry):
            let eventName = "\(run.event.identifier) \(run.event.kind.rawValue)"
            StandardError.line(
                "sextant: the command for \"\(eventName)\" \(reason); next attempt in \(TimeText.span(retry.seconds))")
        case nil: break
        }
    }

    mutating func receive(signal: Int32) {}
    mutating func readsQuitRequest() -> Bool { false }

    /// Ends the running command. Its event is not acknowledged, so the daemon delivers it again.
    mutating func end() {
        process?.terminate()
    }
}
