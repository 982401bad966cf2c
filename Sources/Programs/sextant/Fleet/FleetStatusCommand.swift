import ArgumentParser
import SextantServiceAPI
import SystemCalls
import Varlink

/// `sextant fleet status`: prints the state of each outbox.
struct FleetStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print the pending records of each server, the last acknowledgement and the last error.",
        discussion: """
            Each service sextant-fleet@NAME writes its state to /run/sextant-fleet/NAME/status.json. A program that \
            was started by hand writes it to its directory: name that with --directory. Exit with status 2 if there \
            is no such state, and with 1 if a server is not connected.
            """)

    @Option(
        help: ArgumentHelp("Read the state in this directory, instead of those of the services.", valueName: "dir"),
        completion: .directory)
    var directory: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let found = directory.map { NamedFleetStatus.all(in: $0, name: $0) } ?? NamedFleetStatus.ofServices
        guard !found.isEmpty else {
            let reason =
                directory.map { "there is no status.json in \($0)" }
                ?? "no sextant-fleet has written a state that this user may read: start sextant-fleet@NAME, use sudo, "
                + "or name a folder with --directory"
            throw CommandError(reason, exitStatus: .noResult)
        }
        try output.print(found.map(\.message), or: found.map(\.line))
        let lost = found.filter { !$0.status.isConnected }.map { "\($0.name) (\($0.status.destination))" }
        guard lost.isEmpty else {
            throw CommandError("not connected to the server: \(lost.joined(separator: ", "))")
        }
    }
}

/// `sextant fleet`: shows the reports of this device to servers.
struct FleetReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet", abstract: "Show the reports of this device to servers.",
        subcommands: [FleetStatusCommand.self])
}

/// The state of the reports to one server, with the name of the service that makes them.
struct NamedFleetStatus {
    private static let services = "/run/sextant-fleet"
    private static let maxLength = 65_536

    /// The name of the service, or the directory.
    var name: String
    /// The state as the program has written it.
    var status: FleetStatus

    /// The members of the state, and the name beside them.
    var message: AnyMessage { AnyMessage(members: status.members.merging(["name": .string(name)]) { $1 }) }

    /// Returns the states of all destinations of the service in a directory; none without its file.
    static func all(in directory: String, name: String) -> [NamedFleetStatus] {
        let bytes = (try? AtomicFile(path: "\(directory)/status.json").contents(limit: maxLength)) ?? []
        let members = (try? JSONValue(parsing: bytes))?.object ?? [:]
        let list = try? FleetStatusList(members)
        return (list?.destinations ?? []).map { NamedFleetStatus(name: name, status: $0) }
    }

    static var ofServices: [NamedFleetStatus] {
        let names = (try? Directory.names(in: services)) ?? []
        return names.filter { !$0.hasPrefix(".") }.flatMap { all(in: "\(services)/\($0)", name: $0) }
    }

    /// The state as text.
    var line: String {
        var parts = ["\(name): \(status.destination) \(status.isConnected ? "connected" : "not connected")"]
        parts.append(
            "\(DecimalText.count(status.points, "position")) and \(DecimalText.count(status.events, "event")) pending"
                + (status.oldest.map { " since \(TimeText.moment($0))" } ?? ""))
        parts.append(
            status.lastAcknowledged.map { "last acknowledgement \(TimeText.moment($0))" } ?? "no acknowledgement yet")
        if let refused = status.refusedRecords { parts.append("\(refused) refused and given up") }
        parts.append("\(status.bytes) bytes this month")
        if let lastError = status.lastError { parts.append(lastError) }
        if let daemonError = status.daemonError { parts.append("no positions: \(daemonError)") }
        return parts.joined(separator: " · ")
    }
}
