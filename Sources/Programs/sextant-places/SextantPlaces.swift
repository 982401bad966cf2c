import Glibc
import PlaceWire
import Places
import ServiceRuntime
import SystemCalls
import Wire

/// The service of places: one thread, started by its socket, ended when nobody is connected.
@main
enum SextantPlaces {
    static func main() {
        StandardDescriptors.openMissing()
        switch PlacesOptions.read() {
        case .run(let options): exit(run(options))
        case .help: print(PlacesOptions.help, terminator: "")
        case .version: print(SextantVersion.current)
        case .invalid(let message):
            if let message { ProgramLog(name: "sextant-places").write(message, priority: .error) }
            ProgramLog(name: "sextant-places").write("see 'sextant-places --help'", priority: .error)
            // EX_USAGE of sysexits(3).
            exit(64)
        }
    }

    /// Runs the service and returns the exit status.
    private static func run(_ options: PlacesOptions) -> CInt {
        do {
            return try serve(options)
        } catch {
            ProgramLog(name: "sextant-places").write("\(error)", priority: .error)
            return 1
        }
    }

    private static func serve(_ options: PlacesOptions) throws(PlacesServiceError) -> CInt {
        EventLoop.ignoreBrokenPipes()
        let folder = PlacesFolder(named: options.data ?? getenv("SEXTANT_PLACES").map { String(cString: $0) })
        let log = ProgramLog(name: "sextant-places")
        let directory = options.state ?? getenv("STATE_DIRECTORY").map { String(cString: $0) }
        let ownPlaces = OwnPlaces(
            state: directory.flatMap { $0.isEmpty ? nil : $0 } ?? PlacesOptions.defaultState, log: log)
        let daemon =
            getenv("SEXTANT_SOCKET").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
            ?? PlacesOptions.defaultDaemon
        let (listener, isPassed) = try listener(options.socket)
        do throws(SystemError) {
            let loop = try EventLoop()
            try loop.handle(.terminate) { [unowned loop] in loop.exit(0) }
            try loop.handle(.interrupt) { [unowned loop] in loop.exit(0) }
            let server = try PlacesServer(
                listener, PlacesService(folder, ownPlaces: ownPlaces, log: log), daemon: daemon,
                endsWhenIdle: isPassed, loop: loop, log: log)
            ServiceManager.ready()
            defer { withExtendedLifetime(server) {} }
            return try loop.run()
        } catch {
            throw .system(error)
        }
    }

    /// The socket that the service manager passed, or a new one.
    private static func listener(_ path: String) throws(PlacesServiceError) -> (StreamListener, isPassed: Bool) {
        do throws(ListenSockets.Failure) {
            if let passed = try ListenSockets.claim(named: "varlink") {
                return (StreamListener(adopting: passed), true)
            }
        } catch {
            throw PlacesServiceError.passedSocket(error)
        }
        do throws(ListenerError) {
            return (try StreamListener(path: path), false)
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
        case .socket(let error): error.description(option: "--socket")
        case .system(let error): "\(error)"
        }
    }
}
