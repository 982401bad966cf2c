import CLinux
import Chronology
import DaemonSupport
import Glibc
import ServiceRuntime
import SystemCalls
import TestSupport
import Testing
import Varlink

/// A daemon of a test in the test's own event loop: it answers, waits, or is away.
final class StubDaemon {
    /// The part of a test that begins with an action, and ends when a condition holds.
    struct Phase {
        var begin: () throws -> Void
        var end: () throws -> Bool

        init(_ begin: @escaping () throws -> Void = {}, until end: @escaping () throws -> Bool) {
            (self.begin, self.end) = (begin, end)
        }
    }

    /// The calls in their order: the name of the method, and the identifiers of conditions.
    private(set) var calls: [String] = []
    /// The number of connections so far.
    private(set) var connectionCount = 0
    /// Returns the answer to a call; nil: the daemon does not answer.
    var answer: (Call) -> Reply? = { _ in
        Reply(parameters: ["added": 0, "replaced": 0, "unmonitored": [], "removed": 0])
    }

    private final class Connection {
        let socket: FileDescriptor
        var framer = MessageFramer()

        init(_ number: Int32) { socket = FileDescriptor(owning: number) }
    }

    let path: String
    private var listener: FileDescriptor?
    private var connections: [Connection] = []

    init(at path: String) throws {
        self.path = path
        try start()
    }

    deinit { stop() }

    /// Closes all connections, and refuses others until ``start()``.
    func stop() {
        connections = []
        listener = nil
        unlink(path)
    }

    /// Accepts connections.
    func start() throws {
        let new = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_stream_socket() })
        try systemCall("binding \(path)") { linux_unix_bind(new.number, path, path.utf8.count) }
        try systemCall("opening \(path)") { Glibc.listen(new.number, 128) }
        listener = consume new
    }

    /// Runs an event loop, which can be run once, through all phases.
    ///
    /// - Parameter tick: The work of the program at a time.
    func run(_ loop: EventLoop, tick: @escaping (Instant) -> Void = { _ in }, _ phases: [Phase]) throws {
        var index = -1
        var failure: (any Error)?
        let limit = Deadline(timeout)
        loop.onDeadline = { [unowned loop] now in
            do {
                try self.serve()
                tick(now)
                while try index < 0 || phases[index].end() {
                    index += 1
                    guard index < phases.count else { return loop.exit(0) }
                    try phases[index].begin()
                }
                if limit.isPast { throw TestFailure("phase \(index) does not end; calls: \(self.calls)") }
                loop.setDeadline(now + .milliseconds(2))
            } catch {
                failure = error
                loop.exit(1)
            }
        }
        loop.setDeadline(loop.now)
        _ = try loop.run()
        loop.onDeadline = { _ in }
        if let failure { throw failure }
    }

    private func serve() throws {
        while true {
            let number = linux_accept(listener?.number ?? -1)
            guard number >= 0 else { break }
            connectionCount += 1
            connections.append(Connection(number))
        }
        for connection in connections {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = recv(connection.socket.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { connection.framer.append(Array(buffer[..<count])) }
            while let message = try connection.framer.next() { receive(try Call(parsing: message), on: connection) }
        }
    }

    /// Answers are short: the socket accepts all of each.
    private func receive(_ call: Call, on connection: Connection) {
        let conditions = call.parameters["conditions"]?.array?.compactMap { $0["identifier"]?.string }
        let names = conditions ?? call.parameters["identifiers"]?.array?.compactMap(\.string) ?? []
        calls.append("\(call.method.split(separator: ".").last ?? "") \(names.joined(separator: ","))")
        guard let bytes = answer(call)?.encoded() else { return }
        let count = send(connection.socket.number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        // The program may have closed the connection.
        guard count != bytes.count, errno != EPIPE else { return }
        Issue.record("an answer was not sent: \(String(cString: strerror(errno)))")
    }
}
