import ArgumentParser
import Delivery
import Varlink
import Wire

/// `sextant locate`: the position once.
struct LocateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locate",
        abstract: "Print the position once.",
        discussion: "Ends with status 2 when there is no position within the time; the reason is on standard error.")

    @Option(help: ArgumentHelp("A position not older than this will do (default: 1 s; 0 waits for the next).", valueName: "time"))
    var maxAge: TimeArgument?

    @Option(help: ArgumentHelp("How long to wait for one, 5m at most (default: 10 s).", valueName: "time"))
    var timeout: TimeArgument?

    @Option(help: ArgumentHelp("This receiver alone, by its name or port.", valueName: "name"))
    var receiver: String?

    @Option(help: "Unit of speeds.")
    var speed = SpeedUnit.kmh

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    /// What the interface allows, and what it takes when nothing is asked for.
    private static let longestTimeout = 300.0
    private static let usualTimeout = 10.0

    func validate() throws {
        guard (timeout?.seconds ?? 0) <= LocateCommand.longestTimeout else { throw ValidationError("--timeout is 5m at most") }
    }

    func run() throws {
        let question = GetLocationParameters(maximumAge: maxAge?.seconds, timeout: timeout?.seconds, receiver: receiver)
        // The daemon keeps the time; this only guards against one that does not answer at all.
        let patience = Duration.seconds((timeout?.seconds ?? LocateCommand.usualTimeout) + 5)
        let client = try daemon.connect()
        let reply: GetLocationReply
        do throws(ClientError) {
            reply = try client.call(DaemonMethod.getLocation, question, as: GetLocationReply.self, timeout: patience)
        } catch {
            if output.isJSON, let refusal = LocateCommand.refusal(error) { try LineOutput.print([refusal]) }
            throw CommandError(daemon: error)
        }
        if output.isJSON {
            try LineOutput.print([WithMagneticNorth(reply, reply.location)])
        } else {
            let rest = reply.restingSince.map { " · " + PositionLine.rest(since: $0) } ?? ""
            try StandardOutput.write(lines: [PositionLine.text(reply.location, speed) + " · \(TimeText.span(reply.age)) ago" + rest])
        }
    }

    /// The daemon's reason as a value for programs; nil for any other failure.
    private static func refusal(_ error: ClientError) -> Refusal? {
        guard case .failed(_, let reply) = error, reply.name == LocationUnavailableError.name,
            let words = try? reply.decode(LocationUnavailableError.self)
        else { return nil }
        return Refusal(cause: words.cause, detail: words.detail)
    }

    /// What `--json` prints instead of a position, with the names of the updates of `watch`.
    private struct Refusal: Encodable {
        var locationUnavailable = true
        var cause: UnavailableCause
        var detail: String
    }
}
