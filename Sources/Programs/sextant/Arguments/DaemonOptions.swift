import ArgumentParser
import Chronology
import Glibc
import SextantAPI
import SystemCalls
import Varlink
import VarlinkClient

/// The options that select the daemon's socket.
struct DaemonOptions: ParsableArguments {
    /// The default socket path. The systemd units and the daemon use the same path.
    static let defaultSocketPath = ServiceSocket.daemon

    @Option(
        name: .customLong("socket"),
        help: ArgumentHelp(
            "Connect to this daemon socket (default: $SEXTANT_SOCKET, else \(defaultSocketPath)).", valueName: "path"),
        completion: .file())
    var socketOption: String?

    /// The socket path: the `--socket` option, else `SEXTANT_SOCKET`, else the default.
    var socket: String { DaemonOptions.socket(option: socketOption, environment: Environment.value("SEXTANT_SOCKET")) }

    static func socket(option socketOption: String?, environment: String?) -> String {
        if let socketOption { return socketOption }
        return environment.flatMap { $0.isEmpty ? nil : $0 } ?? defaultSocketPath
    }

    func validate() throws {
        guard socketOption != "" else {
            throw ValidationError(
                "--socket must not be empty; without it, the socket is \(DaemonOptions.defaultSocketPath)")
        }
    }

    /// Connects to the daemon, also while it starts.
    ///
    /// - Throws: An error that names the cause and how to fix it.
    func connect() throws(CommandError) -> BlockingClient {
        do {
            return try DaemonOptions.waitForStart { () throws(ClientError) in try BlockingClient.connect(path: socket) }
        } catch {
            throw CommandError(daemon: error)
        }
    }

    /// How long a command waits for a daemon that was just started. Until it listens, a loaded
    /// single-core board needs one to two seconds.
    private static let startTime = Instant.Span.seconds(5)
    private static let pollInterval = Instant.Span.milliseconds(50)
    /// How long a command waits for the reply of a daemon. It includes the start of a daemon that
    /// the connection starts: a slow board needs several seconds.
    static let replyTime = Duration.seconds(10)

    /// Repeats an attempt to connect while no process listens on the socket, as when the daemon was
    /// just started. Does not wait where no daemon can appear: in a missing directory, or at a path
    /// that is not a socket.
    static func waitForStart<Result>(_ connect: () throws(ClientError) -> Result) throws(ClientError) -> Result {
        let end = HostClock.now + startTime
        while true {
            do throws(ClientError) {
                return try connect()
            } catch {
                guard case .connecting(let path, let code) = error, isStarting(path, code: code), HostClock.now < end
                else { throw error }
                _ = try? Poller.readable([], until: HostClock.now + pollInterval)
            }
        }
    }

    private static func isStarting(_ path: String, code: Int32) -> Bool {
        switch code {
        case ECONNREFUSED: return !CommandError.isOtherThanSocket(path)
        case ENOENT:
            let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
            return access(directory, F_OK) == 0
        default: return false
        }
    }

    func call<Parameters, Reply>(
        _ method: Method<Parameters, Reply>, with parameters: Parameters, timeout: Duration = replyTime
    ) throws(CommandError) -> Reply {
        let client = try connect()
        do {
            return try client.call(method, with: parameters, timeout: timeout)
        } catch {
            throw CommandError(daemon: error)
        }
    }

    /// Calls a method without parameters and waits for its reply.
    func call<Reply>(_ method: Method<NoParameters, Reply>) throws(CommandError) -> Reply {
        try call(method, with: NoParameters())
    }
}

extension DaemonOptions {
    /// The session of this program. It lasts until the program ends.
    nonisolated(unsafe) private static var session: ReplyStream?

    /// Declares a session of this program until it ends: the configuration may require one of each
    /// program that needs the location.
    ///
    /// - Throws: An error if the daemon cannot be reached or does not reply. So a command ends
    ///   soon, even if its own call waits long for a position. If the daemon refuses the session,
    ///   the call that needs it reports why.
    func declareSession() throws(CommandError) {
        let client = try connect()
        do {
            try DaemonOptions.declareSession(on: client, timeout: DaemonOptions.replyTime)
        } catch {
            throw CommandError(daemon: error)
        }
    }

    /// Declares a session if the daemon replies soon. Otherwise the call that needs it reports why.
    ///
    /// - Throws: An error of the connection only.
    func tryToDeclareSession() throws(ClientError) {
        let client = try BlockingClient.connect(path: socket)
        try? DaemonOptions.declareSession(on: client, timeout: .seconds(1))
    }

    /// Declares the session on a new connection.
    ///
    /// - Throws: ``ClientError/timedOut(method:)`` only.
    static func declareSession(on client: BlockingClient, timeout: Duration) throws(ClientError) {
        let parameters = DeclareParameters(requirement: SessionRequirement.none)
        guard var session = try? client.stream(SessionMethods.declare, with: parameters) else { return }
        do throws(ClientError) {
            _ = try session.next(timeout: timeout)
        } catch {
            if case .timedOut = error { throw error }
        }
        DaemonOptions.session = session
    }
}

/// The options for the output format.
struct OutputOptions: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print JSON, one object per line, with the daemon's field names.")
    var isJSON = false

    /// Prints values as JSON lines, or lines of text.
    func print(_ values: [some Encodable], or lines: @autoclosure () -> [String]) throws(CommandError) {
        if isJSON { try JSONLineWriter.print(values) } else { try StandardOutput.write(lines: lines()) }
    }

    /// Prints messages of the service as JSON lines, or lines of text.
    func print(_ messages: [some Message], or lines: @autoclosure () -> [String]) throws(CommandError) {
        if isJSON { try JSONLineWriter.print(messages) } else { try StandardOutput.write(lines: lines()) }
    }
}
