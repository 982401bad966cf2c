import Chronology
import DaemonSupport
import ServiceRuntime
import TestSupport
import Testing
import Varlink
import VarlinkClient

/// Calls that do not wait for the daemon.
@Suite struct DaemonCallsTests {
    private final class Results { var all: [Result<Number, ClientError>] = [] }

    private let scratch: Scratch
    private let loop: EventLoop
    private let daemon: StubDaemon
    private let calls: DaemonCalls
    private let method = Method<Number, Number>(named: "org.example.numbers.Double")
    private let results = Results()

    init() throws {
        scratch = try Scratch()
        loop = try EventLoop()
        daemon = try StubDaemon(at: scratch("io.sextant"))
        calls = DaemonCalls(of: daemon.path, in: loop)
        daemon.answer = { call in Reply(parameters: ["number": .int((call.parameters["number"]?.int ?? 0) * 2)]) }
    }

    private func call(_ number: Int) {
        calls.call(method, with: Number(number: number)) { [results] in results.all.append($0) }
    }

    @Test func `a daemon that does not answer delays nobody, and the calls fail at their deadline`() throws {
        daemon.answer = { _ in nil }
        let spent = seconds { for number in 0..<1000 { call(number) } }
        #expect(spent < 2 && results.all.isEmpty)
        let deadline = try #require(calls.deadline)
        calls.tick(at: deadline - .milliseconds(1))
        #expect(results.all.isEmpty)
        calls.tick(at: deadline)
        #expect(results.all == Array(repeating: .failure(.timedOut(method: method.name)), count: 1000))
        #expect(calls.deadline == nil)
    }

    @Test func `replies reach the handlers of their calls, on one connection`() throws {
        let error = VarlinkError(name: "org.example.numbers.Even")
        let answer = daemon.answer
        daemon.answer = { $0.parameters["number"] == 2 ? Reply(error: error) : answer($0) }
        try daemon.run(
            loop,
            [
                StubDaemon.Phase {
                    for number in 1...3 { call(number) }
                } until: {
                    results.all.count == 3
                },
                StubDaemon.Phase {
                    call(4)
                } until: {
                    results.all.count == 4
                },
            ])
        #expect(
            results.all == [
                .success(Number(number: 2)), .failure(.failed(method: method.name, error: error)),
                .success(Number(number: 6)), .success(Number(number: 8)),
            ])
        #expect(daemon.connectionCount == 1)
    }

    @Test func `calls that fill the socket are sent in parts`() throws {
        let text = AnyMessage(members: ["text": .string(String(repeating: "x", count: 40_000))])
        let measure = Method<AnyMessage, Number>(named: "org.example.text.Measure")
        daemon.answer = { call in
            Reply(parameters: ["number": .int(Int64(call.parameters["text"]?.string?.utf8.count ?? 0))])
        }
        try daemon.run(
            loop,
            [
                StubDaemon.Phase {
                    for _ in 0..<20 { calls.call(measure, with: text) { [results] in results.all.append($0) } }
                } until: {
                    results.all.count == 20
                }
            ])
        #expect(results.all == Array(repeating: .success(Number(number: 40_000)), count: 20))
    }

    @Test func `calls of a connection that ends fail, and the next one connects again`() throws {
        let answer = daemon.answer
        daemon.answer = { _ in nil }
        try daemon.run(
            loop,
            [
                StubDaemon.Phase {
                    call(1)
                } until: {
                    daemon.calls.count == 1
                },
                StubDaemon.Phase {
                    daemon.stop()
                } until: {
                    results.all.count == 1
                },
                StubDaemon.Phase {
                    call(2)
                    #expect(results.all.count == 2)
                    try daemon.start()
                    daemon.answer = answer
                    call(5)
                } until: {
                    results.all.count == 3
                },
            ])
        #expect(results.all.first == .failure(.disconnected(method: method.name)))
        #expect(results.all.last == .success(Number(number: 10)) && daemon.connectionCount == 2)
    }

    @Test func `a handler may call again when the connection fails`() throws {
        daemon.stop()
        final class Count { var value = 0 }
        let count = Count()
        func again() {
            count.value += 1
            if count.value < 3 { calls.call(method, with: Number(number: count.value)) { _ in again() } }
        }
        again()
        #expect(count.value == 3 && calls.deadline == nil)
    }
}
