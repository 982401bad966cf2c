import ArgumentParser
import SextantAPI

/// `sextant fence watch`: follows the events of a monitor.
struct FenceWatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow a monitor: print its events, or run a command for each.",
        discussion: """
            Pending events come first. Printing an event acknowledges it, so that it is not delivered again; --peek \
            prevents this.

            With --json a line is an event, or an object with the member "monitor": its "persistenceUnavailable" or \
            its permission has changed. While "persistenceUnavailable" is true, the daemon cannot record events, and \
            sends none. It also sends none while the program may not know the full location.

            With --exec, a shell runs the command for each event, one at a time and in order. The event is on its \
            standard input as JSON. Environment variables hold its parts: SEXTANT_FENCE, SEXTANT_KIND (determined \
            entered left dwelt retracted expired), SEXTANT_STATE (satisfied unsatisfied unknown unmonitored), \
            SEXTANT_DATE, SEXTANT_LATITUDE, SEXTANT_LONGITUDE, SEXTANT_ACCURACY, SEXTANT_MARGIN, SEXTANT_METADATA, \
            SEXTANT_MONITOR, SEXTANT_EVENT and SEXTANT_ATTEMPT. If the command exits with status 0, the event is \
            acknowledged. Otherwise the command runs again after 1, 2, 4 s and so on, 300 s at most, until it succeeds.
            """)

    @Argument(help: "Name of the monitor, or of a fence in it.")
    var name: String

    @Option(
        help: ArgumentHelp("Run this command for each event.", valueName: "command"),
        completion: .shellCommand("compgen -c"))
    var exec: String?

    @Option(help: ArgumentHelp("Treat the command as failed after this time.", valueName: "time"))
    var timeout = TimeArgument(seconds: 600)

    @Flag(help: "Do not acknowledge events; they are delivered again.")
    var peek = false

    @Option(help: ArgumentHelp("Exit after this time: 10, 90s, 5m.", valueName: "time"))
    var duration: TimeArgument?

    @Option(
        help: ArgumentHelp("Owner of the monitor (default: this user): \(ProgramName.help)", valueName: "program"))
    var program: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard exec == nil || !peek else {
            throw ValidationError("--exec acknowledges handled events; it cannot be combined with --peek")
        }
    }

    func run() throws {
        let client = try FenceClient(daemon, program: program)
        let owner = client.owner
        let name = try monitor(from: client)
        let subscriptions = DaemonFeed.Subscriptions(monitor: OpenParameters(name: name, program: owner))
        let feed = try DaemonFeed(daemon, subscribingTo: subscriptions)
        let acknowledger = EventAcknowledger(daemon: daemon, monitor: name, program: owner)
        let session = LiveSession(duration: duration?.span)
        if let exec {
            let queue = EventHandlerQueue(command: exec, monitor: name, timeout: timeout.span)
            try session.run(feed, on: HandlerOutput(queue: queue, acknowledger: acknowledger, isQuiet: output.isJSON))
        } else {
            try session.run(feed, on: lines(acknowledgingWith: acknowledger))
        }
    }

    /// Returns the monitor to follow: the one of this name, else the only one with a fence of this
    /// name. A name of neither is that of a monitor whose fences are still to be added.
    private func monitor(from client: FenceClient) throws(CommandError) -> String {
        do throws(CommandError) {
            let monitors = try client.monitors().map(\.name)
            guard !monitors.contains(name), !monitors.isEmpty else { return name }
            let found = try client.record(of: name, among: monitors).monitor
            StandardError.line("sextant: the fence \(name) is in the monitor \(found); all its events follow")
            return found
        } catch {
            guard error.exitStatus == .noResult else { throw error }
            return name
        }
    }

    private func lines(acknowledgingWith acknowledger: EventAcknowledger) -> PlainOutput {
        var recordsEvents = true
        var reportsWaiting = !output.isJSON
        var limits = PermissionFlags()
        return PlainOutput(acknowledgingWith: acknowledger) { feedEvent throws(CommandError) in
            guard case .monitor(let reply) = feedEvent else { return }
            if let monitor = reply.monitor {
                FenceWatchCommand.printProblems(of: monitor)
                if reportsWaiting { FenceWatchCommand.reportWaiting(monitor) }
                reportsWaiting = false
                let isRecordingChanged = monitor.persistenceUnavailable == recordsEvents
                // No events arrive without permission, nor before they are recorded. A program that
                // reads JSON does not see standard error.
                if output.isJSON, isRecordingChanged || monitor.permission != limits {
                    try JSONLineWriter.print([OpenReply(monitor: monitor)])
                }
                if isRecordingChanged, !recordsEvents { StandardError.line("sextant: sextantd records events again") }
                if monitor.permission.isEmpty, !limits.isEmpty {
                    StandardError.line("sextant: the fences are permitted again")
                }
                recordsEvents = !monitor.persistenceUnavailable
                limits = monitor.permission
                try acknowledger.retryPending(monitor)
            }
            guard let event = reply.event else { return }
            try output.print([event], or: [FenceFormatter.event(event)])
            // Acknowledge only what was printed.
            if !peek { try acknowledger.acknowledge(event.id) }
        }
    }

    /// Tells the user why nothing is printed.
    static func reportWaiting(_ monitor: MonitorState) {
        guard monitor.pending == 0, monitor.conditions > 0, monitor.permission.isEmpty else { return }
        StandardError.line("sextant: no event of the monitor \(monitor.name) is pending; waiting for the next")
    }

    static func printProblems(of monitor: MonitorState) {
        if monitor.conditions == 0 {
            let remedy = "sextant fence add \(monitor.name) --here 150"
            StandardError.line("sextant: the monitor \(monitor.name) has no fences yet; add one with: \(remedy)")
        }
        if !monitor.permission.isEmpty {
            StandardError.line("sextant: no events: \(monitor.permission.reason(for: monitor.program))")
        }
        if monitor.persistenceUnavailable {
            StandardError.line(
                "sextant: sextantd cannot record events and keeps them in memory: see journalctl -u sextantd")
        }
    }
}
