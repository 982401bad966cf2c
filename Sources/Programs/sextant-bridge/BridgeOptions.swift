import ArgumentParser
import Chronology
import Glibc
import ServiceRuntime
import SystemCalls

/// The options of all roles.
struct BridgeOptions: ParsableArguments {
    /// The default path of the daemon's socket, which its unit uses too.
    private static let defaultSocket = "/run/sextant/io.sextant"
    /// How long a role waits for a client before it ends, if the service manager starts it again
    /// for the next one.
    static let idleLimit = Instant.Span.seconds(30)

    @Option(
        help: ArgumentHelp(
            "Connect to this socket of sextantd (default: $SEXTANT_SOCKET, else /run/sextant/io.sextant).",
            valueName: "path"),
        completion: .file())
    var socket: String?

    /// The path of the daemon's socket.
    var daemon: String {
        if let socket { return socket }
        let named = getenv("SEXTANT_SOCKET").map { String(cString: $0) } ?? ""
        return named.isEmpty ? BridgeOptions.defaultSocket : named
    }

    /// Runs a role in an event loop until a signal ends it.
    func run<Role>(_ makeRole: (EventLoop, ProgramLog) throws -> Role) throws {
        EventLoop.ignoreBrokenPipes()
        DescriptorLimit.raise()
        do {
            let loop = try EventLoop()
            try loop.handle(.terminate) { [unowned loop] in loop.exit(0) }
            try loop.handle(.interrupt) { [unowned loop] in loop.exit(0) }
            let role = try makeRole(loop, ProgramLog(name: "sextant-bridge"))
            ServiceManager.ready()
            let code = try withExtendedLifetime(role) { try loop.run() }
            if code != 0 { throw ExitCode(code) }
        } catch let error as SystemError {
            throw BridgeError.system(error)
        }
    }
}
