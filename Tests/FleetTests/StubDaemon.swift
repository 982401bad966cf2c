import Chronology
import DaemonSupport
import Systemd
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

    let path: String
    private let service: FakeService
    private var connections: [FakeService.Connection] = []

    init(at path: String) throws {
        self.path = path
        service = try FakeService(at: path)
    }

    /// Closes all connections, and refuses others until ``start()``.
    func stop() {
        connections = []
        service.stop()
    }

    func start() throws { try service.start() }

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
                try loop.setDeadline(now + .milliseconds(2))
            } catch {
                failure = error
                loop.exit(1)
            }
        }
        try loop.setDeadline(loop.now)
        _ = try loop.run()
        loop.onDeadline = { _ in }
        if let failure { throw failure }
    }

    private func serve() throws {
        while let connection = service.acceptIfAny() {
            connectionCount += 1
            connections.append(connection)
        }
        for connection in connections {
            while let call = try connection.callIfAny() {
                let conditions = call.parameters["conditions"]?.array?.compactMap { $0["identifier"]?.string }
                let names = conditions ?? call.parameters["identifiers"]?.array?.compactMap(\.string) ?? []
                calls.append("\(call.method.split(separator: ".").last ?? "") \(names.joined(separator: ","))")
                if let reply = answer(call) { _ = connection.sendNow(reply) }
            }
        }
    }
}
