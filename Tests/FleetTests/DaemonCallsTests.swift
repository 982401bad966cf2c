import Chronology
import DaemonLink
import DaemonSupport
import Systemd
import TestSupport
import Testing
import Varlink

private struct Number: Codable, Sendable, Equatable {
    var number: Int
}

/// Calls that do not wait for the daemon.
@Suite struct DaemonCallsTests {
    private let scratch: Scratch
    private let loop: EventLoop
    private let method = Method<Number, Number>("org.example.numbers.Double")

    init() throws {
        scratch = try Scratch()
        loop = try EventLoop()
    }

    @Test func `a daemon that does not answer delays nobody, and the calls fail at their deadline`() async throws {
        let service = try FakeService(at: scratch("io.sextant"))
        let calls = DaemonCalls(of: service.path, in: loop)
        var results: [Result<Number, ClientError>] = []
        let spent = seconds {
            for number in 0..<1000 { calls.call(method, with: Number(number: number)) { results.append($0) } }
        }
        #expect(spent < 2 && results.isEmpty)
        let deadline = try #require(calls.deadline)
        calls.tick(at: deadline - .milliseconds(1))
        #expect(results.isEmpty)
        calls.tick(at: deadline)
        #expect(results == Array(repeating: .failure(.timedOut(method: method.name)), count: 1000))
        #expect(calls.deadline == nil)
    }

    @Test func `replies reach the handlers of their calls, on one connection`() async throws {
        let service = try FakeService(at: scratch("io.sextant"))
        let calls = DaemonCalls(of: service.path, in: loop)
        var results: [Result<Number, ClientError>] = []
        for number in 1...3 { calls.call(method, with: Number(number: number)) { results.append($0) } }
        let connection = try await service.accept()
        for _ in 1...3 {
            let number = try await connection.call().parameters["number"]?.int ?? 0
            try await connection.send(
                number == 2
                    ? Reply(error: VarlinkError(name: "org.example.numbers.Even"))
                    : Reply(parameters: ["number": .int(number * 2)]))
        }
        try loop.run(until: { results.count == 3 })
        let error = VarlinkError(name: "org.example.numbers.Even")
        #expect(
            results == [
                .success(Number(number: 2)), .failure(.failed(method: method.name, error: error)),
                .success(Number(number: 6)),
            ])
        #expect(!service.hasConnection)
    }

    @Test func `calls without a daemon fail at once, and those of an ended connection too`() async throws {
        let service = try FakeService(at: scratch("io.sextant"))
        let calls = DaemonCalls(of: service.path, in: loop)
        var results: [Result<Number, ClientError>] = []
        calls.call(method, with: Number(number: 1)) { results.append($0) }
        var connection: FakeService.Connection? = try await service.accept()
        _ = try await connection?.call()
        connection = nil
        try loop.run(until: { results.count == 1 })
        #expect(results == [.failure(.disconnected(method: method.name))])
        service.stop()
        calls.call(method, with: Number(number: 1)) { results.append($0) }
        #expect(results.count == 2)
        // The next call connects again.
        try service.start()
        calls.call(method, with: Number(number: 5)) { results.append($0) }
        let next = try await service.accept()
        _ = try await next.call()
        try await next.send(Reply(parameters: ["number": .int(10)]))
        try loop.run(until: { results.count == 3 })
        #expect(results.last == .success(Number(number: 10)))
    }

    @Test func `a handler may call again when the connection ends`() throws {
        let calls = DaemonCalls(of: scratch("none"), in: loop)
        var count = 0
        func again() {
            count += 1
            if count < 3 { calls.call(method, with: Number(number: count)) { _ in again() } }
        }
        again()
        #expect(count == 3 && calls.deadline == nil)
    }
}
