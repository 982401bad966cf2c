import ArgumentParser
import SystemCalls
import Systemd
import Wire

/// The program `sextant-fleet`.
@main
struct SextantFleet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sextant-fleet",
        abstract: "Report positions and events to a server: OwnTracks, Home Assistant, Traccar.",
        version: SextantVersion.current,
        subcommands: [FleetCommand.self, FleetSimulateCommand.self], defaultSubcommand: FleetCommand.self)

    static func main() {
        StandardDescriptors.openMissing()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let error as FleetError {
            FleetLog().write("\(error)", priority: .error)
            Self.exit(withError: ExitCode(1))
        } catch {
            exit(withError: error)
        }
    }
}
