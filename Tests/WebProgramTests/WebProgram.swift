import CLinux
import DaemonSupport
import Glibc
import SystemCalls
import TestSupport
import Testing
import Varlink

/// The real `sextant-web` on a Unix socket, with a daemon that the test scripts.
final class WebProgram {
    /// A request to send.
    struct Request {
        var method = "GET"
        var path = "/"
        var headers: [String: JSONValue] = [:]
        var body: String?
        /// Of an endless answer: read until this arrives.
        var until: String?

        static func call(_ method: String, _ parameters: String = "{}") -> Request {
            Request(
                method: "POST", path: "/call/\(method)",
                headers: ["Content-Type": "application/json", "Sextant-Request": "1"], body: parameters)
        }

        /// A stream of events for a program that is no browser.
        static func events(_ query: String, until: String) -> Request {
            Request(path: "/events?\(query)", headers: ["Sextant-Request": "1"], until: until)
        }

        fileprivate var line: String {
            var members: [String: JSONValue] = [
                "method": .string(method), "path": .string(path), "headers": .object(headers),
            ]
            members["body"] = body.map { .string($0) }
            members["until"] = until.map { .string($0) }
            return String(decoding: JSONValue.object(members).bytes, as: UTF8.self)
        }
    }

    struct Answer {
        let status: Int
        let headers: [String: String]
        let body: String
    }

    let scratch: Scratch
    let daemon: FakeService
    let process: ChildProcess

    var socket: String { scratch("web") }

    /// Starts the program with a page of one file and waits for its socket.
    init(configuration: String = "", options: [String] = []) throws {
        scratch = try Scratch()
        daemon = try FakeService(at: scratch("daemon"))
        mkdir(scratch("page"), 0o755)
        _ = try scratch.write("<!doctype html>", to: "page/index.html")
        _ = try scratch.write("secret", to: "page/.hidden.html")
        let file = try scratch.write(configuration, to: "sextant.toml")
        process = try ChildProcess(
            [
                try Programs.path(of: "sextant-web"), "--listen", scratch("web"), "--page", scratch("page"),
                "--maps", scratch("maps"), "--socket", scratch("daemon"), "--places", scratch("no-places"), "--config",
                file,
            ] + options, record: scratch("log"))
        try waitUntil("the socket; \(process.output)") {
            guard process.isRunning else { throw TestFailure("the program has ended: \(process.output)") }
            return access(socket, F_OK) == 0
        }
    }

    /// Sends requests, in the background until ``answers(of:)``.
    func send(_ requests: [Request], to address: String? = nil) throws -> ChildProcess {
        let script = try scratch.write(String(decoding: PackageResources.requests_py, as: UTF8.self), to: "requests.py")
        let input = try scratch.write(
            requests.map { $0.line + "\n" }.joined(), to: "requests-\(UInt32.random(in: 0 ... .max))")
        return try ChildProcess(
            ["sh", "-c", "exec python3 \"$0\" \"$1\" < \"$2\"", script, address ?? socket, input],
            record: input + ".answers")
    }

    /// The answers to all requests of ``send(_:to:)``.
    func answers(of run: ChildProcess) throws -> [Answer] {
        #expect(try run.waitForEnd(within: .seconds(60)) == .code(0), "\(run.output)")
        return try run.output.split(separator: "\n").map { line in
            let value = try JSONValue(parsing: Array(line.utf8))
            return Answer(
                status: Int(value["status"]?.int ?? 0),
                headers: (value["headers"]?.object ?? [:]).compactMapValues(\.string), body: value["body"]?.string ?? ""
            )
        }
    }

    func answers(to requests: [Request], at address: String? = nil) throws -> [Answer] {
        try answers(of: try send(requests, to: address))
    }

    static func freePort() throws -> UInt16 {
        var address = linux_internet_address("127.0.0.1", 0)
        let socket = FileDescriptor(owning: try systemCall("listening") { linux_tcp_listener(&address) })
        var bound = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket.number, $0, &length) }
        }
        return UInt16(bigEndian: bound.sin_port)
    }
}
