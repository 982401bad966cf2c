import ArgumentParser
import Glibc
import PlaceIndex
import PlaceWire
import SystemCalls
import Systemd
import Wire

/// The service of places: one thread, started by its socket, ended when nobody is connected.
@main
struct SextantPlaces: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sextant-places",
        abstract: "Serve names of positions over a Varlink socket.",
        discussion: """
            The service manager starts it for the first connection. It ends when no program is connected. \
            The data is imported with "sextant places import".
            """,
        version: SextantVersion.current)

    /// The default path of the socket, which its unit uses too.
    static let defaultSocket = "/run/sextant/io.sextant.Places"

    @Option(
        help: ArgumentHelp(
            "Create this socket if the service manager passes none (default: \(defaultSocket)).", valueName: "path"),
        completion: .file())
    var socket = SextantPlaces.defaultSocket

    @Option(
        help: ArgumentHelp(
            "Read the data in this folder (default: $SEXTANT_PLACES, else \(PlacesFolder.defaultPath)).",
            valueName: "path"),
        completion: .directory)
    var data: String?

    @Option(
        help: ArgumentHelp(
            "Keep the places that programs add in this folder (default: $STATE_DIRECTORY, else \(defaultState)).",
            valueName: "path"),
        completion: .directory)
    var state: String?

    /// The default folder of the places that programs add.
    static let defaultState = "/var/lib/sextant-own-places"

    static func main() {
        StandardDescriptors.openMissing()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let error as PlacesServiceError {
            PlacesLog().write("\(error)", priority: .error)
            Glibc.exit(1)
        } catch {
            exit(withError: error)
        }
    }

    func run() throws {
        EventLoop.ignoreBrokenPipes()
        let folder = PlacesFolder(named: data ?? getenv("SEXTANT_PLACES").map { String(cString: $0) })
        let log = PlacesLog()
        let directory = state ?? getenv("STATE_DIRECTORY").map { String(cString: $0) }
        let ownPlaces = OwnPlaces(
            state: directory.flatMap { $0.isEmpty ? nil : $0 } ?? SextantPlaces.defaultState, log: log)
        do {
            let loop = try EventLoop()
            try loop.handle(.terminate) { [unowned loop] in loop.exit(0) }
            try loop.handle(.interrupt) { [unowned loop] in loop.exit(0) }
            let (listener, isPassed) = try listener()
            let server = try PlacesServer(
                listener, PlacesService(folder, ownPlaces: ownPlaces, log: log), endsWhenIdle: isPassed, loop: loop,
                log: log)
            ServiceManager.ready()
            let code = try withExtendedLifetime(server) { try loop.run() }
            if code != 0 { throw ExitCode(code) }
        } catch let error as SystemError {
            throw PlacesServiceError.system(error)
        }
    }

    /// The socket that the service manager passed, or a new one.
    private func listener() throws -> (UnixListener, isPassed: Bool) {
        do throws(ListenSockets.Failure) {
            if let passed = try ListenSockets.claim(named: "varlink") { return (UnixListener(adopting: passed), true) }
        } catch {
            throw PlacesServiceError.passedSocket(error)
        }
        do throws(ListenerError) {
            return (try UnixListener(path: socket), false)
        } catch {
            throw PlacesServiceError.socket(error)
        }
    }
}

/// Why the service cannot start.
enum PlacesServiceError: Error, CustomStringConvertible {
    /// The socket of the service manager cannot be used.
    case passedSocket(ListenSockets.Failure)
    /// The socket cannot be created.
    case socket(ListenerError)
    /// A system call failed.
    case system(SystemError)

    /// The reason and how to fix it.
    var description: String {
        switch self {
        case .passedSocket(let error): "\(error)"
        case .socket(.inUse(let path)): "another program already listens on \(path); stop it or choose another path"
        case .socket(let error): "\(error)"
        case .system(let error): "\(error)"
        }
    }
}
