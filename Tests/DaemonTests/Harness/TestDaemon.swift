import Glibc
import SystemCalls
import TestSupport
import Testing
import Varlink

/// The real `sextantd`, started by a test in its own directory.
final class TestDaemon {
    let scratch: Scratch
    var socket: String { scratch("socket") }
    private let flags: [String]
    private let environment: [String: String]
    private let program: [String]
    private let inherited: [Int32: Int32]
    private(set) var process: ChildProcess
    private var checks: InterfaceChecks?
    /// Whether the test expects the daemon to end, by itself or by a signal of the test.
    private(set) var mayEnd = false

    /// Runs `body` with a running daemon, which always ends afterwards and must not end by itself
    /// before.
    ///
    /// - Parameters:
    ///   - program: the command that starts the daemon, if it is not started directly.
    ///   - inherited: descriptors passed to the daemon, by their number in the daemon.
    static func run(
        devices: [String] = [], flags: [String] = [], configuration: String? = nil, environment: [String: String] = [:],
        scratch: Scratch? = nil, program: [String]? = nil, inherited: [Int32: Int32] = [:],
        _ body: (TestDaemon) throws -> Void
    ) throws {
        let scratch = try scratch ?? Scratch()
        var flags = flags + devices.flatMap { ["--device", $0] }
        let file = try scratch.write(configuration ?? "[receivers]\ndiscover = false\n", to: "sextant.toml")
        flags += ["--config", file, "--state", scratch("state"), "--socket", scratch("socket")]
        let daemon = try TestDaemon(scratch, flags, environment, program ?? [Programs.path(of: "sextantd")], inherited)
        defer { daemon.process.destroy() }
        do {
            try daemon.waitUntilServing()
            try body(daemon)
        } catch {
            throw TestFailure("\(error)\n  log of the daemon:\n\(daemon.log)")
        }
        #expect(daemon.mayEnd || daemon.process.isRunning, "the daemon ended by itself; its log:\n\(daemon.log)")
    }

    private init(
        _ scratch: Scratch, _ flags: [String], _ environment: [String: String], _ program: [String],
        _ inherited: [Int32: Int32]
    )
        throws
    {
        self.scratch = scratch
        self.flags = flags
        self.environment = environment
        self.program = program
        self.inherited = inherited
        process = try ChildProcess(
            program + flags, environment: environment, inherited: inherited, record: scratch("log"))
    }

    /// The log since the first start.
    var log: String { process.output }

    /// Returns how often the log contains a text.
    func logged(_ text: String) -> Int {
        log.split(separator: "\n").count { $0.contains(text) }
    }

    /// Kills the daemon without cleanup.
    func kill() {
        process.destroy()
        mayEnd = true
    }

    /// Sends the daemon a termination signal.
    func terminate(_ signal: Int32 = SIGTERM) {
        mayEnd = true
        process.send(signal)
    }

    /// Restarts the daemon with the same flags.
    func startAgain() throws {
        process = try ChildProcess(
            program + flags, environment: environment, inherited: inherited, record: scratch("log"))
        mayEnd = false
        try waitUntilServing()
    }

    /// Starts a second daemon with the same flags.
    func twin() throws -> ChildProcess {
        try ChildProcess(program + flags, environment: environment, record: scratch("twin-log"))
    }

    /// Returns a connection that validates every reply against the interface descriptions.
    func connect() throws -> CheckedClient {
        CheckedClient(try Client.connect(path: socket), try interfaces())
    }

    /// Validates a reply of a raw connection against the interface descriptions.
    func check(_ reply: Reply, to method: String) throws {
        if let error = reply.failure {
            try interfaces().check(error)
        } else {
            try interfaces().check(reply.parameters, replyTo: method)
        }
    }

    private func interfaces() throws -> InterfaceChecks {
        let checks = try checks ?? InterfaceChecks(asking: try Client.connect(path: socket))
        self.checks = checks
        return checks
    }

    /// Opens a stream on its own connection and waits for its first update: ``Subscription/last``.
    func subscribe(
        _ configuration: String = "automotiveNavigation", receiver: String? = nil, options: [String: JSONValue] = [:]
    ) throws -> Subscription {
        let stream = try connect().subscribe(configuration, receiver: receiver, options: options)
        try stream.next()
        return stream
    }

    /// Returns the receivers from `List`.
    func receivers() throws -> [JSONValue] {
        try connect().call("io.sextant.Receiver.List")["receivers"]?.array ?? []
    }

    /// Waits until the first receiver is in one of these states.
    func waitForReceiver(_ states: String...) throws {
        let client = try connect()
        try waitUntil("a receiver that is \(states.joined(separator: " or "))") {
            guard process.isRunning else { throw TestFailure("the daemon has ended") }
            let state = try client.call("io.sextant.Receiver.List")["receivers"]?.array?.first?["state"]?.string
            return state.map(states.contains) ?? false
        }
    }

    private func waitUntilServing() throws {
        try waitUntil("the daemon's socket") {
            guard process.isRunning else { throw TestFailure("the daemon has ended") }
            return (try? Client.connect(path: socket)) != nil
        }
    }
}

/// The programs under test, located beside the test bundle.
enum Programs {
    static func path(of name: String) throws -> String {
        let path = "\(try directory())/\(name)"
        guard access(path, X_OK) == 0 else { throw TestFailure("\(path) is missing: swift build --product \(name)") }
        return path
    }

    /// Returns the directory of the build products.
    static func directory() throws -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let bundle = String(decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard !bundle.isEmpty else { throw TestFailure("the test bundle cannot be found") }
        return bundle.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    }
}
