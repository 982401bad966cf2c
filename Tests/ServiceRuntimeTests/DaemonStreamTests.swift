import Chronology
import DaemonSupport
import Glibc
import ServiceRuntime
import SystemCalls
import TestSupport
import Testing
import Varlink
import VarlinkClient

/// Streams that never wait for the daemon.
@Suite struct DaemonStreamTests {
    private final class Events {
        var numbers: [Int] = []
        var losses: [ClientError] = []
    }

    private let scratch: Scratch
    private let service: FakeService
    private let loop: EventLoop
    private let stream: DaemonStream<Number, Number>
    private let events = Events()
    private let method = Method<Number, Number>(named: "org.example.numbers.Watch")

    init() throws {
        scratch = try Scratch()
        loop = try EventLoop()
        service = try FakeService(at: scratch("numbers"))
        stream = DaemonStream(method, of: service.path, in: loop) { [events] event in
            switch event {
            case .reply(let reply): events.numbers.append(reply.number)
            case .lost(let error): events.losses.append(error)
            }
        }
    }

    /// A reply; 100 fill several reads, and fit into a socket.
    private func reply(_ number: Int, continues: Bool = true) -> Reply {
        let padding = JSONValue.string(String(repeating: "x", count: 400))
        return Reply(parameters: ["number": .int(Int64(number)), "padding": padding], continues: continues)
    }

    /// Runs the loop until a condition is met.
    private func run(until isMet: @escaping () -> Bool) throws {
        let end = HostClock.now + .seconds(10)
        loop.afterEachIteration = { [unowned loop] in
            if isMet() || HostClock.now >= end { loop.exit(0) }
        }
        loop.setDeadline(end)
        _ = try loop.run()
        #expect(isMet())
    }

    @Test func `replies arrive in order until the connection ends, and the stream connects again`() throws {
        stream.request(Number(number: 1))
        var connection: FakeService.Connection? = try service.accept()
        #expect(try connection?.call().parameters["number"] == 1)
        for number in 0..<100 { try connection?.send(reply(number)) }
        connection = nil
        try run { [events, stream] in
            if let deadline = stream.deadline { stream.tick(at: deadline) }
            return !events.losses.isEmpty && stream.deadline == nil
        }
        #expect(events.numbers == Array(0..<100) && events.losses == [.disconnected(method: method.name)])
        #expect(try service.accept().call().mode == .more)
    }

    @Test func `the last reply ends the stream`() throws {
        stream.request(Number(number: 1))
        let connection = try service.accept()
        try connection.send(reply(1))
        try connection.send(reply(2, continues: false))
        try run { [events] in !events.losses.isEmpty }
        #expect(events.numbers == [1, 2] && events.losses == [.disconnected(method: method.name)])
    }

    @Test func `a stream that is not eager waits until it is read, and notices the end at once`() throws {
        stream.isEager = false
        stream.request(Number(number: 1))
        var connection: FakeService.Connection? = try service.accept()
        try connection?.send(reply(1))
        #expect(events.numbers.isEmpty)
        stream.read()
        #expect(events.numbers == [1])
        connection = nil
        try run { [events] in !events.losses.isEmpty }
    }

    @Test func `a service that is not there is tried again as long as the stream is requested`() throws {
        service.stop()
        stream.request(Number(number: 1))
        #expect(events.losses == [.connecting(path: service.path, errno: ENOENT)] && stream.deadline != nil)
        stream.request(nil)
        #expect(stream.deadline == nil)
    }
}
