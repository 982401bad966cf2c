import ArgumentParser
import Glibc
import ServiceRuntime
import SystemCalls
import Wire

/// The bridges: one program, one role per process.
@main
struct SextantBridge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sextant-bridge",
        abstract: "Give the location of sextantd to programs that use other protocols.",
        discussion: """
            Each role is a client of the service like any other: what it may know and what it costs is reported by \
            "sextant grants", "sextant who" and "sextant power".
            """,
        version: SextantVersion.current,
        subcommands: [
            GPSDCommand.self, NMEACommand.self, GeoClueCommand.self, TimeCommand.self, InletCommand.self,
            LookupCommand.self,
        ])

    static func main() {
        StandardDescriptors.openMissing()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let error as BridgeError {
            ProgramLog(name: "sextant-bridge").write("\(error)", priority: .error)
            Glibc.exit(error.exitCode)
        } catch {
            exit(withError: error)
        }
    }
}
