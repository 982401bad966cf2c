import ArgumentParser
import Wire

/// `sextant fence watch`: what happens, as it happens.
struct FenceWatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow a monitor: print its events, or run a command for each.",
        discussion: """
            What happened while nobody followed comes first. An event that was printed is acknowledged and does not come again, unless \
            --peek is said.

            With --exec a shell runs the command for each event, one at a time and in their order. It finds the event on its standard \
            input as JSON and in SEXTANT_FENCE, SEXTANT_KIND (determined entered left dwelt retracted expired), SEXTANT_STATE \
            (satisfied unsatisfied unknown unmonitored), SEXTANT_DATE, SEXTANT_LATITUDE, SEXTANT_LONGITUDE, SEXTANT_ACCURACY, \
            SEXTANT_MARGIN, SEXTANT_METADATA, SEXTANT_MONITOR, SEXTANT_EVENT and SEXTANT_ATTEMPT. When it ends with 0 the event is \
            acknowledged; else it is run again after 1, 2, 4 and so on to 300 s, until it does.
            """)

    @Argument(help: "The monitor: a fence's own name, unless it was added to another.")
    var name: String

    @Option(help: ArgumentHelp("Run this for each event.", valueName: "command"), completion: .shellCommand("compgen -c"))
    var exec: String?

    @Option(help: ArgumentHelp("Take the command for failed when it runs longer.", valueName: "time"))
    var timeout = TimeArgument(seconds: 600)

    @Flag(help: "Acknowledge nothing: what is printed comes again.")
    var peek = false

    @Option(help: ArgumentHelp("End by itself after this time: 10, 90s, 5m.", valueName: "time"))
    var duration: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "Whose monitor: a user's number, and of a service \":\" and its unit (default: this user's).", valueName: "program"))
    var program: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard exec == nil || !peek else { throw ValidationError("--exec acknowledges what was dealt with; --peek does not go with it") }
    }

    func run() throws {
        let owner = program ?? FenceOptions.user
        let wishes = DaemonFeed.Wishes(monitor: MonitorParameters(name: name, program: owner))
        let feed = try DaemonFeed(daemon, wishes)
        let receipts = EventReceipts(daemon: daemon, monitor: name, program: owner)
        let session = LiveSession(duration: duration?.span)
        if let exec {
            let errands = EventErrands(command: exec, monitor: name, patience: timeout.span)
            try session.run(feed, on: ErrandSurface(errands, receipts, isQuiet: output.isJSON))
        } else {
            try session.run(feed, on: lines(receipts))
        }
    }

    private func lines(_ receipts: EventReceipts) -> LineSurface {
        LineSurface { news throws(CommandError) in
            guard case .monitor(let reply) = news else { return }
            if let monitor = reply.monitor {
                FenceWatchCommand.tell(monitor)
                try receipts.settle(monitor)
            }
            guard let event = reply.event else { return }
            if output.isJSON {
                try LineOutput.print([event])
            } else {
                try StandardOutput.write(lines: [FenceWords.event(event)])
            }
            // Only what somebody has got is dealt with: printing comes first.
            if !peek { try receipts.acknowledge(event.id) }
        }
    }

    /// What is worth a word about the monitor itself.
    static func tell(_ monitor: MonitorMessage) {
        if monitor.conditions == 0 {
            let mend = "sextant fence add \(monitor.name) --here 150"
            StandardError.line("sextant: the monitor \(monitor.name) has no fences yet; add one: \(mend)")
        }
        if monitor.persistenceUnavailable {
            StandardError.line("sextant: what happens cannot be written down, and waits in memory: see journalctl -u sextantd")
        }
    }
}
