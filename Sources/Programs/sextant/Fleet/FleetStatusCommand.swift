import ArgumentParser
import Glibc
import SextantServiceAPI
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
            throw CommandError(
                "no sextant-fleet has written a state that this user may read: start sextant-fleet@NAME, use sudo, or "
                    + "--directory",
                exitStatus: .noResult)
        }
        if output.isJSON {
            try JSONLineWriter.print(found)
        } else {
            try StandardOutput.write(lines: found.map(\.line))
        }
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
struct NamedFleetStatus: Encodable {
    private static let services = "/run/sextant-fleet"
    private static let maxLength = 65_536

    /// The name of the service, or the directory.
    var name: String
    /// The state as the program has written it.
    var status: FleetStatus

    private enum CodingKeys: String, CodingKey { case name }

    /// Writes the name beside the members of the state.
    func encode(to encoder: any Encoder) throws {
        try status.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
    }

    /// Returns the states of all destinations of the service in a directory; none without its file.
    static func all(in directory: String, name: String) -> [NamedFleetStatus] {
        guard let file = fopen("\(directory)/status.json", "re") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: maxLength)
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        let members = (try? JSONValue(parsing: bytes))?.object ?? [:]
        let list = try? Reply(parameters: members).decode(FleetStatusList.self)
        return (list?.destinations ?? []).map { NamedFleetStatus(name: name, status: $0) }
    }

    /// The states of all services, by name.
    static var ofServices: [NamedFleetStatus] {
        guard let directory = opendir(services) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { !$0.hasPrefix(".") }.sorted().flatMap { all(in: "\(services)/\($0)", name: $0) }
    }

    /// The state as text.
    var line: String {
        var parts = ["\(name): \(status.destination) \(status.isConnected ? "connected" : "not connected")"]
        parts.append(
            "\(status.points) positions and \(status.events) events pending"
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
