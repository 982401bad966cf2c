import DaemonSupport
import Glibc
import Places
import SextantAPI
import TestSupport
import Testing
import Varlink
import VarlinkClient

/// The real `sextant-places` with a gazetteer of a few places.
final class PlacesProgram {
    let scratch: Scratch
    private(set) var process: ChildProcess

    /// A gazetteer in the format of GeoNames.
    static let gazetteer =
        line(1, "Nijmegen", 51.8425, 5.8528, "NL", 158_732) + line(2, "Arnhem", 51.98, 5.911, "NL", 141_674)
        + line(3, "Suva", -18.1416, 178.4415, "FJ", 77_366)

    static func line(
        _ id: Int, _ name: String, _ latitude: Double, _ longitude: Double, _ country: String, _ population: Int
    ) -> String {
        [
            "\(id)", name, name, "", "\(latitude)", "\(longitude)", "P", "PPL", country, "", "", "", "", "",
            "\(population)", "", "", "Europe/Amsterdam", "2026-01-01",
        ].joined(separator: "\t") + "\n"
    }

    var socket: String { scratch("socket") }
    var folder: PlacesFolder { PlacesFolder(named: scratch("data")) }

    /// The path of the daemon's socket.
    private let daemon: String

    /// Starts the program and waits for its socket.
    init(_ text: String? = PlacesProgram.gazetteer, daemon: String? = nil) throws {
        scratch = try Scratch()
        self.daemon = daemon ?? scratch("no-daemon")
        if let text { try PlacesProgram.importing(text, scratch) }
        process = try PlacesProgram.start(scratch, self.daemon)
        try waitForSocket()
    }

    private static func start(_ scratch: Scratch, _ daemon: String) throws -> ChildProcess {
        try ChildProcess(
            [
                try Programs.path(of: "sextant-places"), "--socket", scratch("socket"), "--data", scratch("data"),
                "--state", scratch("state"),
            ], environment: ["SEXTANT_SOCKET": daemon], record: scratch("log"))
    }

    func restart(_ signal: Int32) throws {
        process.send(signal)
        _ = try process.waitForEnd(within: .seconds(30))
        process = try PlacesProgram.start(scratch, daemon)
        try waitForSocket()
    }

    private func waitForSocket() throws {
        try waitUntil("the socket; \(process.output)") {
            guard process.isRunning else { throw TestFailure("the program has ended: \(process.output)") }
            return (try? BlockingClient.connect(path: socket)) != nil
        }
    }

    func replace(_ text: String) throws { try PlacesProgram.importing(text, scratch) }

    static func importing(_ text: String, _ scratch: Scratch) throws {
        var places = PlaceImport(into: PlacesFolder(named: scratch("data")))
        try places.run([try scratch.write(text, to: "places.txt")])
    }

    func client() throws -> BlockingClient { try BlockingClient.connect(path: socket) }

    /// The error of `Put` with its index or limit, such as `InvalidPlace 1`; nil if it is accepted.
    func refusal(of parameters: PutParameters) throws -> String? {
        do {
            _ = try client().call(PlacesMethods.put, with: parameters)
            return nil
        } catch {
            guard case .failed(_, let reply) = error as? ClientError else { throw error }
            let number = reply.parameters["index"] ?? reply.parameters["limit"]
            return "\(reply.name.split(separator: ".").last ?? "") \(number?.int ?? -1)"
        }
    }

    /// The answer to a call as another user, who may then enter the folder of the socket.
    func answer(to call: String, asUser user: UInt32) throws -> String {
        chmod(scratch.path, 0o755)
        chmod(socket, 0o666)
        let script = try scratch.write(PlacesProgram.caller, to: "call.py")
        let run = try ChildProcess(
            [
                "setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", PlacesProgram.interpreter, script,
                socket, call,
            ],
            record: scratch("answer-\(user)"))
        #expect(try run.waitForEnd(within: .seconds(60)) == .code(0), "\(run.output)")
        return run.output
    }

    /// A Python that every user may run.
    static let interpreter = "/usr/bin/python3"
    private static let caller = """
        import socket, sys
        client = socket.socket(socket.AF_UNIX)
        client.connect(sys.argv[1])
        client.sendall(sys.argv[2].encode() + b"\\0")
        answer = b""
        while not answer.endswith(b"\\0"):
            answer += client.recv(65536)
        print(answer[:-1].decode())
        """

    /// The name of the error of a call.
    func error<Parameters, Reply>(_ method: Method<Parameters, Reply>, _ parameters: Parameters) throws -> String? {
        do {
            _ = try client().call(method, with: parameters)
            return nil
        } catch {
            guard case .failed(_, let reply) = error as? ClientError else { throw error }
            return reply.name
        }
    }
}
