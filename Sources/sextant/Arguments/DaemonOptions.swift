import ArgumentParser
import Varlink

/// Where the daemon listens.
struct DaemonOptions: ParsableArguments {
    /// The place that the units and the daemon agree on.
    static let usualSocket = "/run/sextant/io.sextant"

    @Option(
        name: .customLong("socket"),
        help: ArgumentHelp("The daemon's socket (default: $SEXTANT_SOCKET, else \(usualSocket)).", valueName: "path"),
        completion: .file())
    var given: String?

    /// What was asked for, else the environment's, else the usual place.
    var socket: String { DaemonOptions.socket(given: given, environment: Environment.value("SEXTANT_SOCKET")) }

    static func socket(given: String?, environment: String?) -> String {
        if let given { return given }
        return environment.flatMap { $0.isEmpty ? nil : $0 } ?? usualSocket
    }

    /// Connects, or throws what a person can do about it.
    func connect() throws(CommandError) -> Client {
        do {
            return try Client.connect(path: socket)
        } catch {
            throw CommandError(daemon: error)
        }
    }

    /// Calls a method and waits for its reply.
    func call<Reply: Decodable>(
        _ method: String, _ parameters: some Encodable = Client.NoParameters(), as type: Reply.Type, timeout: Duration = .seconds(10)
    ) throws(CommandError) -> Reply {
        let client = try connect()
        do {
            return try client.call(method, parameters, as: type, timeout: timeout)
        } catch {
            throw CommandError(daemon: error)
        }
    }
}

/// How results are printed.
struct OutputOptions: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print JSON, one object a line, as the daemon sends it.")
    var isJSON = false
}
