import CLinux
import Glibc
import ServiceRuntime
import Settings
import SystemCalls

/// The page of the location service: one thread, started by its socket, ended when nobody looks.
@main
struct SextantWeb: ProgramRole {
    /// The default address.
    private static let address = "127.0.0.1:8947"
    /// The folder of the page's files.
    private static let page = "/usr/share/sextant/web"
    private static let maps = "/var/lib/sextant-web/maps"

    private var listen: [String] = []
    private var page = SextantWeb.page
    private var maps = SextantWeb.maps
    private var socket: String?
    private var config: String?
    private var places = ServiceSocket.places

    static func main() {
        RoleProgram([SextantWeb.self], abstract: table.abstract, version: SextantVersion.current)
            .run(exitCode: WebError.exitCode)
    }

    mutating func set(_ option: String, to value: String) throws(UsageError) {
        switch option {
        case "listen": listen.append(value)
        case "page": page = try OptionValue.path(value, of: option)
        case "config": config = try OptionValue.path(value, of: option)
        case "maps": maps = try OptionValue.path(value, of: option)
        case "places": places = try OptionValue.path(value, of: option)
        default: socket = try OptionValue.path(value, of: option)
        }
    }

    static let table = OptionTable(
        program: "sextant-web",
        usage: "[--listen ADDRESS]... [--page DIR] [--maps DIR] [--config FILE] [--socket PATH] [--places PATH]",
        abstract: "Show the location, receivers and energy use in a web browser.",
        discussion: """
            The service manager starts it for the first viewer. It ends half a minute after the last one. Its \
            address is http://\(address)/.
            """,
        entries: [
            .init(
                "listen", "ADDRESS",
                "Accept viewers at this HOST:PORT, or at the path of this Unix socket, instead of the sockets of the "
                    + "service manager; may be repeated. Default without them: \(address)."),
            .init("page", "DIR", .folders, "Serve the files of this folder. Default: \(page)."),
            .init("maps", "DIR", .folders, "Serve the raster maps (MBTiles) in this folder. Default: \(maps)."),
            .init("config", "FILE", .files, "Read the section [web] from this file only."),
            .init(
                "socket", "PATH", .files,
                "Connect to this socket of sextantd. Default: $SEXTANT_SOCKET, else \(ServiceSocket.daemon)."),
            .init(
                "places", "PATH", .files,
                "Connect to this socket of sextant-places. Default: \(ServiceSocket.places)."),
        ])

    /// Runs the service and returns the exit status.
    func run() throws -> CInt {
        let settings = try WebSection.load(file: config)
        let passed = listen.isEmpty ? try ListenSockets.claimStreams() : []
        var listeners = passed.map { StreamListener(adopting: FileDescriptor(owning: $0.descriptor)) }
        if passed.isEmpty {
            listeners = try (listen.isEmpty ? [SextantWeb.address] : listen).map(SextantWeb.listener)
        }
        let daemon = socket ?? ServiceSocket.named ?? ServiceSocket.daemon
        return try EventLoop.serve { loop in
            try WebService(
                WebService.Paths(page: page, maps: maps, daemon: daemon, places: places), settings,
                listeners: listeners,
                endsWhenIdle: !passed.isEmpty, loop: loop, log: ProgramLog(name: "sextant-web"))
        }
    }

    private static func listener(at text: String) throws -> StreamListener {
        if text.hasPrefix("/") {
            do throws(ListenerError) { return try StreamListener(path: text, mode: 0o600) } catch {
                throw WebError.unixSocket(error)
            }
        }
        guard let parsed = HostPort(text) else { throw WebError.invalidAddress(text) }
        var address = linux_internet_address(parsed.host == "localhost" ? "127.0.0.1" : parsed.host, parsed.port)
        guard Int32(address.ss_family) != AF_UNSPEC else { throw WebError.invalidAddress(text) }
        do throws(SystemError) {
            return StreamListener(
                adopting: FileDescriptor(
                    owning: try systemCall("accepting connections at \(text)") { linux_tcp_listener(&address) }))
        } catch { throw WebError.listening(text, error) }
    }
}

/// Why the program cannot start.
enum WebError: Error, CustomStringConvertible {
    /// The text is not an address with a port.
    case invalidAddress(String)
    /// The program cannot accept connections at an address.
    case listening(String, SystemError)
    /// The program cannot accept connections at the path of a Unix socket.
    case unixSocket(ListenerError)
    /// The password of the configuration cannot be used.
    case invalidPassword(path: String, reason: String)

    /// The reason and how to fix it.
    var description: String {
        switch self {
        case .invalidAddress(let text):
            "\(text) is not an address: use a numeric address and a port, such as 127.0.0.1:8947 or [::1]:8947"
        case .listening(let address, let error) where error.code == EADDRINUSE:
            "another program uses \(address): stop it, or choose another port with --listen"
        case .listening(_, let error): "\(error)"
        case .unixSocket(let error): error.description(option: "--listen")
        case .invalidPassword(let path, let reason): "the password in \(path) is not used: \(reason)"
        }
    }

    /// The exit status of an error: EX_USAGE of sysexits(3) for an address of the command line,
    /// EX_CONFIG for an invalid configuration, on which the unit does not start again.
    static func exitCode(_ error: any Error) -> CInt {
        if error is ConfigurationError { return 78 }
        return switch error as? WebError {
        case .invalidAddress?: 64
        case .invalidPassword?: 78
        default: 1
        }
    }
}
