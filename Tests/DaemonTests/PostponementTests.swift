import Chronology
import Locator
import ServiceRuntime
import SextantAPI
import SystemCalls
import TestSupport
import Testing
import Varlink

@testable import sextantd

/// Tests of calls that are served later, with a server in the test's own process.
@Suite struct PostponementTests {
    private static let call = "{\"method\":\"\(ReceiverMethods.list.name)\"}\0"
    private static let clients = 8

    private let scratch: Scratch
    private let loop: EventLoop
    private let server: VarlinkServer<ClientState>

    init() throws {
        scratch = try Scratch()
        loop = try EventLoop()
        let directory = try ServiceDirectory(
            vendor: "", product: "", version: "", url: "", naming: [Interface.receiver.rawValue],
            text: { Interface(rawValue: $0)?.text })
        server = VarlinkServer(
            directory, limits: ServerLimits(Settings()), subordinateUsers: SubordinateUserFile { _ in }, loop: loop)
    }

    private final class Record: VarlinkServerDelegate {
        /// The number of calls postponed in each turn of calls.
        var postponed: [Int] = []
        /// The number of calls that each client had made when its call was served.
        var counts: [Int] = []
        private var left: Int
        private let duration: Instant.Span
        private var postponedInTurn = 0

        init(postponements: Int, taking duration: Instant.Span) {
            left = postponements
            self.duration = duration
        }

        func serve(_ call: Call, from session: ClientSession) {
            counts.append(session.callCount)
            session.connection.fail(call.methodNotImplemented)
        }

        func postponement(of call: Call) -> Instant? {
            guard left > 0 else { return nil }
            left -= 1
            postponedInTurn += 1
            let now = HostClock.now
            while HostClock.now - now < duration {}
            return now
        }

        func callsServed() -> Bool {
            postponed.append(postponedInTurn)
            postponedInTurn = 0
            return true
        }

        func sessionClosed(_ session: ClientSession, because reason: ServerConnection.CloseReason?) {}
        func reply(to refusal: ConnectionRefusal) -> VarlinkError { refusal.reply }
        func report(_ problem: ServerProblem) {}
    }

    /// Sends a call on each of several connections and serves them until all are answered.
    ///
    /// - Parameter postponements: The number of times that a call is postponed, for all calls
    ///   together.
    private func serve(postponements: Int, taking duration: Instant.Span) throws -> Record {
        let record = Record(postponements: postponements, taking: duration)
        try server.start(try StreamListener(path: scratch("socket")), record)
        let end = HostClock.now + .seconds(10)
        loop.onDeadline = { [unowned server] in server.tick(at: $0) }
        loop.afterEachIteration = { [unowned server, unowned loop] in
            server.endTurn()
            if record.counts.count == PostponementTests.clients || HostClock.now >= end { loop.exit(0) }
            loop.setDeadline(server.deadline)
        }
        let clients = try (0..<PostponementTests.clients).map { _ in try RawClient(scratch("socket")) }
        for client in clients { client.send(PostponementTests.call) }
        _ = try loop.run()
        server.closeAll()
        for client in clients { #expect(try client.next() != nil) }
        return record
    }

    @Test func `a postponed call is counted once`() throws {
        let record = try serve(postponements: 40, taking: .zero)
        #expect(record.postponed.reduce(0, +) == 40)
        #expect(record.counts == [Int](repeating: 1, count: PostponementTests.clients))
    }

    @Test func `the duration of a turn limits the calls that it postpones`() throws {
        let record = try serve(postponements: 8, taking: .milliseconds(1))
        #expect(record.postponed.reduce(0, +) == 8)
        #expect(record.postponed.allSatisfy { $0 <= 1 }, "\(record.postponed)")
    }
}
