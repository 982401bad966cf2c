import Chronology
import DaemonSupport
import SystemCalls
import TestSupport
import Testing
import Varlink

@testable import ServiceRuntime

/// Tests of a server in the test's own process, with a service that counts.
@Suite struct VarlinkServerTests {
    private static let call = #"{"method":"org.example.counter.Count"}"# + "\0"
    private static let oneway = #"{"method":"org.example.counter.Count","oneway":true}"# + "\0"

    private final class State: SessionState {
        let owner: UInt32
        init?(of socket: Int32, user: UInt32) { owner = user }
    }

    /// Counts calls.
    private final class Counter: VarlinkServerDelegate {
        var served = 0
        var closed = 0
        var problems: [ServerProblem] = []

        func serve(_ call: Call, from session: ServerSession<State>) {
            served += 1
            guard call.mode != .more else { return }
            session.connection.reply()
        }

        func callsServed() -> Bool { true }
        func sessionClosed(_ session: ServerSession<State>, because reason: ServerConnection.CloseReason?) {
            closed += 1
        }
        func reply(to refusal: ConnectionRefusal) -> VarlinkError { VarlinkError(name: "org.example.counter.Full") }
        func report(_ problem: ServerProblem) { problems.append(problem) }
    }

    private let scratch: Scratch
    private let loop: EventLoop
    private let server: VarlinkServer<State>
    private let counter = Counter()

    init() throws {
        scratch = try Scratch()
        loop = try EventLoop()
        let directory = try ServiceDirectory(
            vendor: "", product: "", version: "", url: "", naming: ["org.example.counter"],
            text: { _ in "interface org.example.counter\nmethod Count() -> ()\n" })
        server = VarlinkServer(
            directory,
            limits: ServerLimits(
                connectionsPerUser: 4, connections: 8, heldBytesPerUser: 10_000, messageLength: 4000,
                idleTime: .seconds(60)),
            subordinateUsers: SubordinateUserFile { _ in }, loop: loop)
        try server.start(try StreamListener(path: scratch("socket")), counter)
    }

    private func connect() throws -> RawClient { try RawClient(scratch("socket")) }

    /// Runs the loop until a condition is met.
    private func run(until isMet: @escaping () -> Bool) throws {
        let end = HostClock.now + .seconds(10)
        loop.onDeadline = { _ in }
        loop.afterEachIteration = { [unowned server, unowned loop] in
            server.endTurn()
            if isMet() || HostClock.now >= end { loop.exit(0) }
            loop.setDeadline(end)
        }
        _ = try loop.run()
        #expect(isMet())
    }

    @Test func `complete calls that arrive together with a hang-up are served before the session ends`() throws {
        let count = 100
        var client: RawClient? = try connect()
        client?.send(String(repeating: VarlinkServerTests.oneway, count: count))
        client = nil
        try run { [counter] in counter.closed == 1 }
        #expect(counter.served == count && server.count == 0)
    }

    /// Otherwise the server would wait until the client reads, and then be woken for ever.
    @Test func `nothing is pending after all that was pending was discarded`() throws {
        let client = try connect()
        client.send(#"{"method":"org.example.counter.Count","more":true}"# + "\0")
        try run { [counter] in counter.served == 1 }
        let session = try #require(server.sessions { _ in true }.first)
        repeat {
            session.connection.publish(EncodedObject.empty, counters: .counted)
            session.send()
        } while !session.hasPendingOutput
        session.connection.discardUpdates()
        session.send()
        #expect(!session.hasPendingOutput)
        withExtendedLifetime(client) {}
    }

    @Test func `a user whose connections hold too many bytes loses one`() throws {
        let clients = try (0..<4).map { _ in try connect() }
        for client in clients { client.send(String(repeating: "x", count: 3900)) }
        try run { [counter] in counter.closed > 0 }
        #expect(counter.closed == 1 && server.count == 3)
        #expect(counter.problems.first.map { "\($0)".contains("more than 10000 bytes") } == true)
        withExtendedLifetime(clients) {}
    }

    @Test func `a connection beyond the limit of its user gets an error`() throws {
        let clients = try (0..<5).map { _ in try connect() }
        try run { [counter] in counter.problems.count == 1 }
        #expect(try clients.last?.next()?.error == "org.example.counter.Full" && server.count == 4)
    }

    @Test func `a connection without a call is closed after the idle time`() throws {
        let clients = try (0..<2).map { _ in try connect() }
        clients[1].send(VarlinkServerTests.call)
        try run { [counter] in counter.served == 1 }
        let deadline = try #require(server.deadline)
        server.tick(at: deadline - .milliseconds(1))
        #expect(server.count == 2)
        server.tick(at: deadline + .seconds(60))
        #expect(server.count == 0 && server.deadline == nil)
    }
}
