import ArgumentParser
import Chronology
import SextantAPI
import SystemCalls
import Varlink
import VarlinkClient

/// `sextant locate`: prints the position once.
struct LocateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locate",
        abstract: "Print the position once.",
        discussion: """
            On a terminal, say after a second what happens until the first position. \
            Exit with status 2 if there is no position within the time, and with 77 if this program may not know the \
            location; the reason is on standard error.
            """)

    @Option(
        help: ArgumentHelp("Accept a position up to this age (default: 1 s; 0 waits for the next).", valueName: "time"))
    var maxAge: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "Time to wait for a position, 5m at most; 0 does not wait (default: 10 s).", valueName: "time"))
    var timeout: TimeArgument?

    @Option(help: ArgumentHelp("Use only this receiver, by name or port.", valueName: "name"))
    var receiver: String?

    /// A form of the position alone.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case degrees, minutes
    }

    @Option(help: "Print only the position: degrees as lat,lon, or degrees and decimal minutes.")
    var format: Format?

    @OptionGroup var unitOptions: UnitOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    private static let defaultTimeout = 10.0
    /// The time for the reply besides the time for the position, in seconds.
    private static let replyTime = 5.0

    func validate() throws {
        guard GetLocationParameters.timeoutRange.contains(timeout?.seconds ?? 0) else {
            throw ValidationError("--timeout must be 5m at most; 0 does not wait")
        }
        if format != nil, output.isJSON { throw ValidationError("--format and --json cannot be combined") }
    }

    func run() throws {
        let parameters = GetLocationParameters(
            maximumAge: maxAge?.seconds, timeout: timeout?.seconds, receiver: receiver)
        // The daemon applies the timeout; this one handles a daemon that stops meanwhile.
        let timeout = Duration.seconds((timeout?.seconds ?? LocateCommand.defaultTimeout) + LocateCommand.replyTime)
        try daemon.declareSession()
        let client = try daemon.connect()
        let reply: RecentLocation
        do throws(ClientError) {
            reply = try self.reply(of: client, to: parameters, timeout: timeout)
        } catch {
            if output.isJSON { try LocateCommand.printReason(of: error) }
            throw CommandError(daemon: error)
        }
        if output.isJSON {
            try JSONLineWriter.print(reply.withMagneticNorth(of: reply.location))
        } else if let format {
            try StandardOutput.write(lines: [LocateCommand.text(reply.location, format: format)])
        } else {
            let stationary = reply.restingSince.map { " · " + PositionLine.stationaryText(since: $0) } ?? ""
            let line =
                PositionLine.text(reply.location, units: unitOptions.display) + " · \(TimeText.span(reply.age)) ago"
            try StandardOutput.write(
                lines: [line + stationary, PlaceNames().text(reply.location)].compactMap { $0 })
        }
    }

    /// Calls the daemon. A person who waits on a terminal sees what it waits for.
    private func reply(
        of client: BlockingClient, to parameters: GetLocationParameters, timeout: Duration
    ) throws(ClientError) -> RecentLocation {
        let method = LocationMethods.getLocation
        let now = HostClock.now
        guard StandardError.isTerminal, var progress = LocateProgress(daemon, receiver: receiver, at: now) else {
            return try client.call(method, with: parameters, timeout: timeout)
        }
        let deadline = now + Instant.Span.seconds(timeout / .seconds(1))
        var replies = try client.stream(method, with: parameters, timeout: timeout)
        try? progress.wait(for: replies, until: deadline)
        let rest = Duration.seconds(max(0, (deadline - HostClock.now).seconds))
        guard let reply = try replies.next(timeout: rest) else { throw .disconnected(method: method.name) }
        do throws(UnexpectedParameters) {
            let location = try reply.parameters(of: method)
            progress.finish(at: HostClock.now)
            return location
        } catch {
            throw .unexpectedReply(method: method.name, error)
        }
    }

    /// Returns the position alone, such as "48.117300,-11.516667".
    private static func text(_ location: Location, format: Format) -> String {
        let (latitude, longitude) = (location.latitude, location.longitude)
        let decimals = location.decimals
        switch format {
        case .degrees:
            return
                "\(DecimalText.text(latitude, decimals: decimals)),\(DecimalText.text(longitude, decimals: decimals))"
        case .minutes:
            let units = DisplayUnits(hasMinutes: true)
            return units.latitude(latitude, decimals: decimals) + " " + units.longitude(longitude, decimals: decimals)
        }
    }

    /// Prints the daemon's reason as JSON; nothing for any other failure.
    private static func printReason(of error: ClientError) throws(CommandError) {
        guard case .failed(_, let reply) = error else { return }
        if case .locationUnavailable(let cause, let detail)? = LocationError(reply) {
            // The field names of the updates of `watch`.
            try JSONLineWriter.print([
                "locationUnavailable": true, "cause": .string(cause.rawValue), "detail": .string(detail),
            ])
        } else if reply.name == PermissionDeniedError.name(in: .location),
            let details = try? PermissionDeniedError(reply.parameters)
        {
            try JSONLineWriter.print([details])
        }
    }
}
