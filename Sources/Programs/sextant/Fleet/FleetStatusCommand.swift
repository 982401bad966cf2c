import ArgumentParser
import SextantAPI

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
