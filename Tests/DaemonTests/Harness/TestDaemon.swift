import Glibc
import SystemCalls
import Testing
import Varlink

/// The real `sextantd`, started by a test in a directory of its own.
final class TestDaemon {
    let scratch: Scratch
    var socket: String { scratch("socket") }
    private let flags: [String]
    private let environment: [String: String]
    private let program: [String]
    private let inherited: [Int32: Int32]
    private(set) var process: ChildProcess
    private var checks: InterfaceChecks?
    /// The test expects it to end by itself or by the test's hand.
    private(set) var mayEnd = false

    /// Runs `body` with a daemon that is up; it is gone afterwards, whatever happens, and must not have ended by itself before.
    ///
    /// - Parameters:
    ///   - program: the words that start it, when it is not to be started simply.
    ///   - inherited: descriptors it gets, by the number it is to see.
    static func run(
        devices: [String] = [], flags: [String] = [], configuration: String? = nil, environment: [String: String] = [:],
        scratch: Scratch? = nil, program: [String]? = nil, inherited: [Int32: Int32] = [:], _ body: (TestDaemon) throws -> Void
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
            throw Disappointment("\(error)\n  the daemon said:\n\(daemon.log)")
        }
        #expect(daemon.mayEnd || daemon.process.isRunning, "the daemon ended by itself; it said:\n\(daemon.log)")
    }

    private init(_ scratch: Scratch, _ flags: [String], _ environment: [String: String], _ program: [String], _ inherited: [Int32: Int32])
        throws
    {
        (self.scratch, self.flags, self.environment, self.program, self.inherited) = (scratch, flags, environment, program, inherited)
        process = try ChildProcess(program + flags, environment: environment, inherited: inherited, record: scratch("log"))
    }

    /// What it has logged since the first start.
    var log: String { process.output }

    /// How often the log holds a text.
    func logged(_ text: String) -> Int {
        log.split(separator: "\n").count { $0.contains(text) }
    }

    /// Ends it without a chance to tidy up.
    func kill() {
        process.destroy()
        mayEnd = true
    }

    /// Asks it to end.
    func terminate(_ signal: Int32 = SIGTERM) {
        mayEnd = true
        process.send(signal)
    }

    /// Starts it again with the same flags.
    func startAgain() throws {
        process = try ChildProcess(program + flags, environment: environment, inherited: inherited, record: scratch("log"))
        mayEnd = false
        try waitUntilServing()
    }

    /// A second one beside it, with the same flags.
    func twin() throws -> ChildProcess {
        try ChildProcess(program + flags, environment: environment, record: scratch("twin-log"))
    }

    /// A connection that holds every reply against the interface descriptions.
    func connect() throws -> CheckedClient {
        CheckedClient(try Client.connect(path: socket), try interfaces())
    }

    /// Holds a reply that came over a raw connection against the interface descriptions.
    func check(_ reply: Reply, to method: String) throws {
        if let error = reply.failure { try interfaces().check(error) } else { try interfaces().check(reply.parameters, replyTo: method) }
    }

    private func interfaces() throws -> InterfaceChecks {
        let checks = try checks ?? InterfaceChecks(asking: try Client.connect(path: socket))
        self.checks = checks
        return checks
    }

    /// A stream on a connection of its own. Its first update has come: ``Subscription/last``.
    func subscribe(
        _ configuration: String = "automotiveNavigation", receiver: String? = nil, wishes: [String: JSONValue] = [:]
    ) throws -> Subscription {
        let stream = try connect().subscribe(configuration, receiver: receiver, wishes: wishes)
        try stream.next()
        return stream
    }

    /// The receivers as `List` tells them.
    func receivers() throws -> [JSONValue] {
        try connect().call("io.sextant.Receiver.List")["receivers"]?.array ?? []
    }

    /// Waits until the first receiver is in one of these states.
    func waitForReceiver(_ states: String...) throws {
        let client = try connect()
        try waitUntil("a receiver that is \(states.joined(separator: " or "))") {
            guard process.isRunning else { throw Disappointment("the daemon has ended") }
            let state = try client.call("io.sextant.Receiver.List")["receivers"]?.array?.first?["state"]?.string
            return state.map(states.contains) ?? false
        }
    }

    private func waitUntilServing() throws {
        try waitUntil("the daemon's socket") {
            guard process.isRunning else { throw Disappointment("the daemon has ended") }
            return (try? Client.connect(path: socket)) != nil
        }
    }
}

/// The programs under test, beside the test bundle.
enum Programs {
    static func path(of name: String) throws -> String {
        let path = "\(try directory())/\(name)"
        guard access(path, X_OK) == 0 else { throw Disappointment("\(path) is missing: swift build --product \(name)") }
        return path
    }

    /// Where the build puts its products.
    static func directory() throws -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let bundle = String(decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard !bundle.isEmpty else { throw Disappointment("the test bundle cannot be found") }
        return bundle.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    }
}
