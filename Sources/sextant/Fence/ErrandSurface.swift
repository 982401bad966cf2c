import Chronology
import Geofencing
import Glibc
import Wire

/// Runs a command for each event of a monitor, and acknowledges what it has dealt with.
struct ErrandSurface: LiveSurface {
    static var signals: [Int32] { [SIGCHLD] }

    private var errands: EventErrands
    private let receipts: EventReceipts
    /// Whether only failures are told.
    private let isQuiet: Bool
    private var process: ErrandProcess?
    private var isLost = false

    init(_ errands: EventErrands, _ receipts: EventReceipts, isQuiet: Bool) {
        (self.errands, self.receipts, self.isQuiet) = (errands, receipts, isQuiet)
    }

    var descriptors: [Int32] { [] }
    var deadline: Instant? { errands.deadline }

    mutating func show(_ events: [DaemonFeed.Event], at now: Instant) throws(CommandError) {
        for event in events { try note(event) }
        if let process {
            let (hasEnded, failure) = process.ending()
            if hasEnded {
                self.process = nil
                try carryOut(errands.ended(failure, at: now))
            }
        }
        while let step = errands.advance(to: now) { try carryOut(step) }
    }

    private mutating func note(_ event: DaemonFeed.Event) throws(CommandError) {
        switch event {
        case .monitor(let reply):
            if let monitor = reply.monitor {
                FenceWatchCommand.tell(monitor)
                try receipts.settle(monitor)
            }
            if let event = reply.event { errands.add(event) }
        case .lost(let error, _):
            if !isLost { StandardError.line("sextant: \(error.description); trying again until it is back") }
            isLost = true
        case .connected:
            StandardError.line("sextant: sextantd is back")
            isLost = false
        case .update, .receivers, .visit: break
        }
    }

    private mutating func carryOut(_ step: EventErrands.Step?) throws(CommandError) {
        switch step {
        case .run(let run):
            process = try ErrandProcess(errands.command, run, monitor: errands.monitor)
            if !isQuiet { StandardError.line("sextant: \(FenceWords.event(run.event)): running the command") }
        case .end: process?.end()
        case .done(let event): try receipts.acknowledge(event)
        case .failed(let run, let ended, let retry):
            let name = Columns.harmless(run.event.identifier)
            let what = "\(name) \(run.event.kind.rawValue)"
            StandardError.line("sextant: the command for \"\(what)\" \(ended); again in \(TimeText.span(retry.seconds))")
        case nil: break
        }
    }

    mutating func receive(signal: Int32) {}
    mutating func wantsToEnd() -> Bool { false }

    /// What runs is ended; its event was not acknowledged, and comes again.
    mutating func end() {
        process?.end()
    }
}
