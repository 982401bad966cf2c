import Glibc
import SystemCalls
import TestSupport
import Varlink
import VarlinkClient
import _StringProcessing

/// The real `sextantd`, started by a test in its own directory.
package final class TestDaemon {
    package let scratch: Scratch
    package var socket: String { scratch("socket") }
    private let flags: [String]
    private let environment: [String: String]
    private let program: [String]
    private let inherited: [Int32: Int32]
    package private(set) var process: ChildProcess
    private var checks: InterfaceChecks?
    /// Whether the test expects the daemon to end, by itself or by a signal of the test.
    package private(set) var mayEnd = false

    /// Runs `body` with a running daemon, which always ends afterwards and must not end by itself
    /// before.
    ///
    /// - Parameters:
    ///   - program: the command that starts the daemon, if it is not started directly.
    ///   - inherited: descriptors passed to the daemon, by their number in the daemon.
    package static func run(
        devices: [String] = [], flags: [String] = [], configuration: String? = nil, environment: [String: String] = [:],
        scratch: Scratch? = nil, program: [String]? = nil, inherited: [Int32: Int32] = [:],
        _ body: (TestDaemon) throws -> Void
    ) throws {
        let daemon = try start(devices, flags, configuration, environment, scratch, program, inherited)
        defer { daemon.process.destroy() }
        do {
            try daemon.waitUntilServing()
            try body(daemon)
        } catch {
            throw daemon.failure(error)
        }
        try daemon.checkEnd()
    }

    /// Runs `body` with a daemon that has one virtual port; otherwise as `run`.
    package static func runWithPort(
        configuration: String? = nil, environment: [String: String] = [:],
        _ body: (TestDaemon, VirtualPort) throws -> Void
    ) throws {
        let scratch = try Scratch()
        let port = try VirtualPort(scratch("gps"))
        try run(
            devices: [port.link], configuration: configuration, environment: environment, scratch: scratch
        ) { try body($0, port) }
    }

    /// Runs an asynchronous `body` with a running daemon; otherwise as `run`.
    package nonisolated(nonsending) static func serve(
        devices: [String] = [], flags: [String] = [], configuration: String? = nil, environment: [String: String] = [:],
        scratch: Scratch? = nil, _ body: nonisolated(nonsending) (TestDaemon) async throws -> Void
    ) async throws {
        let daemon = try start(devices, flags, configuration, environment, scratch, nil, [:])
        defer { daemon.process.destroy() }
        do {
            try daemon.waitUntilServing()
            try await body(daemon)
        } catch {
            throw daemon.failure(error)
        }
        try daemon.checkEnd()
    }

    private static func start(
        _ devices: [String], _ flags: [String], _ configuration: String?, _ environment: [String: String],
        _ scratch: Scratch?, _ program: [String]?, _ inherited: [Int32: Int32]
    ) throws -> TestDaemon {
        let scratch = try scratch ?? Scratch()
        var flags = flags + devices.flatMap { ["--device", $0] }
        let file = try scratch.write(configuration ?? "[receivers]\ndiscover = false\n", to: "sextant.toml")
        flags += ["--config", file, "--state", scratch("state"), "--socket", scratch("socket")]
        return try TestDaemon(scratch, flags, environment, program ?? [Programs.path(of: "sextantd")], inherited)
    }

    private func failure(_ error: any Error) -> TestFailure {
        TestFailure("\(error)\n  log of the daemon:\n\(log)")
    }

    private func checkEnd() throws {
        guard mayEnd || process.isRunning else { throw TestFailure("the daemon ended by itself; its log:\n\(log)") }
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
    package var log: String { process.output }

    /// Returns how often the log contains a text.
    package func logged(_ text: String) -> Int {
        log.split(separator: "\n").count { $0.contains(text) }
    }

    /// Kills the daemon without cleanup.
    package func kill() {
        process.destroy()
        mayEnd = true
    }

    /// Sends the daemon a termination signal.
    package func terminate(_ signal: Int32 = SIGTERM) {
        mayEnd = true
        process.send(signal)
    }

    /// Restarts the daemon with the same flags.
    package func startAgain() throws {
        process = try ChildProcess(
            program + flags, environment: environment, inherited: inherited, record: scratch("log"))
        mayEnd = false
        try waitUntilServing()
    }

    /// Starts a second daemon with the same flags.
    package func twin() throws -> ChildProcess {
        try ChildProcess(program + flags, environment: environment, record: scratch("twin-log"))
    }

    /// Returns the checks against the interface descriptions, which are requested once.
    package func interfaces() throws -> InterfaceChecks {
        let checks = try checks ?? InterfaceChecks(asking: try BlockingClient.connect(path: socket))
        self.checks = checks
        return checks
    }

    /// Waits until the first receiver is in one of these states.
    package func waitForReceiver(_ states: String...) throws {
        let client = try BlockingClient.connect(path: socket)
        var reply: JSONValue?
        do {
            try waitUntil("a receiver that is \(states.joined(separator: " or "))") {
                guard process.isRunning else { throw TestFailure("the daemon has ended") }
                reply = try client.call("io.sextant.Receiver.List")
                let state = reply?["receivers"]?.array?.first?["state"]?.string
                return state.map(states.contains) ?? false
            }
        } catch {
            throw TestFailure("\(error): \(reply.map { "\($0)" } ?? "no reply"); \(log)")
        }
    }

    /// Waits until the first receiver has completed this many epochs.
    package func waitForEpochs(_ count: Int) throws {
        let client = try BlockingClient.connect(path: socket)
        try waitUntil("\(count) epochs") {
            let reply = try client.call("io.sextant.Receiver.List")
            return reply["receivers"]?.array?.first?["counts"]?["epochs"]?.int ?? 0 >= Int64(count)
        }
    }

    private func waitUntilServing() throws {
        try waitUntil("the daemon's socket") {
            guard process.isRunning else { throw TestFailure("the daemon has ended") }
            return (try? BlockingClient.connect(path: socket)) != nil
        }
    }
}

/// The programs under test, located beside the test bundle.
package enum Programs {
    /// The services that sextantd runs when it is started by their names.
    private static let links: Set = ["sextant-beacons", "sextant-bridge", "sextant-places"]

    package static func path(of name: String) throws -> String {
        let path = "\(try directory())/\(name)"
        if links.contains(name), SystemFile.target(of: path) != "sextantd" {
            let new = "\(path).\(getpid())"
            _ = symlink("sextantd", new)
            rename(new, path)
        }
        guard access(path, X_OK) == 0 else { throw TestFailure("\(path) is missing: swift build --build-tests") }
        return path
    }

    /// Returns the directory of the build products.
    package static func directory() throws -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let bundle = String(decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard !bundle.isEmpty else { throw TestFailure("the test bundle cannot be found") }
        return bundle.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    }
}
