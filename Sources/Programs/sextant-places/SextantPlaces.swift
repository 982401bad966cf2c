import Glibc
import Places
import ServiceRuntime
import SystemCalls

/// The service of places: one thread, started by its socket, ended when nobody is connected.
package enum SextantPlaces {
    /// The name by which ``main()`` is started.
    package static let name = "sextant-places"

    /// Runs the service, and ends the process.
    package static func main() {
        RoleProgram([ServeCommand.self], abstract: ServeCommand.table.abstract, version: SextantVersion.current).run()
    }
}

/// `sextant-places`, which has one role.
private struct ServeCommand: ProgramRole {
    /// The default folder of the places that programs add.
    private static let defaultState = "/var/lib/sextant-own-places"

    private var socket = ServiceSocket.places
    private var data: String?
    private var state: String?

    mutating func set(_ option: String, to value: String) throws(UsageError) {
        let path = try OptionValue.path(value, of: option)
        switch option {
        case "socket": socket = path
        case "data": data = path
        default: state = path
        }
    }

    static let table = OptionTable(
        program: SextantPlaces.name, usage: "[--socket PATH] [--data DIR] [--state DIR]",
        abstract: "Serve names of positions over a Varlink socket.",
        discussion: """
            The service manager starts it for the first connection. It ends when no program is connected. The data is \
            imported with "sextant places import".
            """,
        entries: [
            .init(
                "socket", "PATH", .files,
                "Create this socket if the service manager passes none. Default: \(ServiceSocket.places)."),
            .init(
                "data", "DIR", .folders,
                "Read the data in this folder. Default: $SEXTANT_PLACES, else \(PlacesFolder.defaultPath)."),
            .init(
                "state", "DIR", .folders,
                "Keep what programs add in this folder. Default: $STATE_DIRECTORY, else \(defaultState)."),
        ])

    /// Runs the service and returns the exit status.
    func run() throws -> CInt {
        let folder = PlacesFolder(named: data ?? getenv("SEXTANT_PLACES").map { String(cString: $0) })
        let log = ProgramLog(name: SextantPlaces.name)
        let directory = state ?? getenv("STATE_DIRECTORY").map { String(cString: $0) }
        let path = directory.flatMap { $0.isEmpty ? nil : $0 } ?? ServeCommand.defaultState
        let (ownPlaces, items) = (OwnPlaces(state: path, log: log), ItemIndex(state: path, log: log))
        let daemon = ServiceSocket.named ?? ServiceSocket.daemon
        do {
            let listener = try StreamListener.claimed(as: "varlink", orAt: socket)
            return try EventLoop.serve { loop in
                let service = try PlacesService(
                    folder, ownPlaces: ownPlaces, items: items, daemon: daemon, endsWhenIdle: listener.path == nil,
                    loop: loop, log: log)
                try service.start(listener)
                return service
            }
        } catch let error as ListenSockets.Failure {
            throw PlacesServiceError.passedSocket(error)
        } catch let error as ListenerError {
            throw PlacesServiceError.socket(error)
        } catch let error as SystemError {
            throw PlacesServiceError.system(error)
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
        case .socket(let error): error.description(option: "--socket")
        case .system(let error): "\(error)"
        }
    }
}
