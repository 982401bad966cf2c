import Chronology
import Glibc
import ServiceRuntime
import Settings
import SystemCalls

/// The options of all roles.
struct BridgeOptions {
    /// How long a role waits for a client before it ends, if the service manager starts it again
    /// for the next one.
    static let idleLimit = Instant.Span.seconds(30)

    private var socket: String?
    /// The only configuration file to read.
    private(set) var config: String?

    /// Sets an option of ``entries`` or ``configEntry``.
    mutating func set(_ option: String, to value: String) throws(UsageError) {
        let path = try OptionValue.path(value, of: option)
        if option == "config" { config = path } else { socket = path }
    }

    static let configEntry = OptionTable.Entry("config", "FILE", .files, "Read the section from this file only.")
    static let entries: [OptionTable.Entry] = [
        .init(
            "socket", "PATH", .files,
            "Connect to this socket of sextantd (default: $SEXTANT_SOCKET, else \(ServiceSocket.daemon)).")
    ]

    func load() throws(BridgeError) -> BridgeSettings {
        do throws(ConfigurationError) { return try BridgeSettings.load(file: config) } catch {
            throw .configuration(error)
        }
    }

    var daemon: String { socket ?? ServiceSocket.named ?? ServiceSocket.daemon }

    /// Runs a role in an event loop until a signal ends it, and returns the exit status.
    func run<Role>(_ makeRole: (EventLoop, ProgramLog) throws -> Role) throws -> CInt {
        DescriptorLimit.raise()
        do {
            return try EventLoop.serve { loop in try makeRole(loop, ProgramLog(name: SextantBridge.name)) }
        } catch let error as SystemError {
            throw BridgeError.system(error)
        }
    }
}

/// The bridges: one program, one role per process.
package enum SextantBridge {
    /// The name by which ``main()`` is started.
    package static let name = "sextant-bridge"

    /// Runs the role that the arguments name, and ends the process.
    package static func main() {
        let program = RoleProgram(
            [
                GPSDCommand.self, NMEACommand.self, GeoClueCommand.self, ChronyCommand.self, InletCommand.self,
                ModemCommand.self, ZoneFollowCommand.self, LookupCommand.self,
            ],
            abstract: """
                Give the location of sextantd to programs that use other protocols.

                Each role is a client of the service like any other: what it may know and what
                it costs is reported by "sextant grants", "sextant who" and "sextant power".
                """, version: SextantVersion.current)
        program.run { error in (error as? BridgeError)?.exitCode ?? 1 }
    }
}
