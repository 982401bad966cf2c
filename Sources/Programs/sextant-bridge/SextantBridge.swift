import ServiceRuntime
import SextantAPI
import SystemCalls

/// The bridges: one program, one role per process.
@main
enum SextantBridge {
    static let name = "sextant-bridge"

    static func main() {
        let program = RoleProgram(
            [
                GPSDCommand.self, NMEACommand.self, GeoClueCommand.self, TimeCommand.self, InletCommand.self,
                LookupCommand.self,
            ],
            abstract: """
                Give the location of sextantd to programs that use other protocols.

                Each role is a client of the service like any other: what it may know and what
                it costs is reported by "sextant grants", "sextant who" and "sextant power".
                """, version: SextantVersion.current)
        program.run { error in (error as? BridgeError)?.exitCode ?? 1 }
    }
}
