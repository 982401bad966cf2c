import ArgumentParser
import Glibc
import Wire

/// The command line of the location service.
@main
struct Sextant: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sextant",
        abstract: "Where this device is, which receivers tell, and what they hear.",
        version: SextantVersion.current,
        subcommands: [WatchCommand.self, ReplayCommand.self])

    /// Runs the command that was asked for. Its own errors end with their exit status; those of the command line with 64.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let error as CommandError {
            error.report()
            Glibc.exit(error.exitStatus.rawValue)
        } catch {
            exit(withError: error)
        }
    }
}
