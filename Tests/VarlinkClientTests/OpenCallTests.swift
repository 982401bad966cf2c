import Chronology
import DaemonSupport
import TestSupport
import Testing
import Varlink

@testable import VarlinkClient

@Suite struct OpenCallTests {
    private let scratch: Scratch
    private let service: FakeService
    private let transport: Transport

    init() throws {
        scratch = try Scratch()
        service = try FakeService(at: scratch("socket"))
        transport = Transport(socket: service.path, limits: .quick)
    }

    private func stream(_ delivery: OpenCall.Delivery = .all) -> OpenCall {
        transport.stream("io.example.Count", ["from": 1], delivery: delivery)
    }

    /// Takes the next reply while the service answers.
    private static func number(_ call: OpenCall) async throws -> Int? {
        try await call.next()?.parameters["number"]?.int.map { Int($0) }
    }

    private static func add(_ transport: Transport) async throws -> [String: JSONValue] {
        try await transport.call("io.example.Add", ["number": 3])
    }

    @Test func `nothing is connected before the first reply is requested`() async throws {
        let call = stream()
        #expect(!service.hasConnection)
        async let first = call.next()
        let connection = try await service.accept()
        let request = try await connection.call()
        #expect(request.method == "io.example.Count" && request.mode == .more && request.parameters == ["from": 1])
        try await connection.send(number: 7)
        #expect(try await first == Arrival(parameters: ["number": 7], replaced: 0, connection: 1))
    }

    @Test func `the replies continue on a new connection`() async throws {
        let call = stream()
        for round in 1...5 {
            async let next = call.next()
            let connection = try await service.accept()
            _ = try await connection.call()
            try await connection.send(number: round)
            #expect(
                try await next == Arrival(parameters: ["number": .int(Int64(round))], replaced: 0, connection: round))
            // Releasing the connection closes it.
            if round.isMultiple(of: 2) {
                service.stop()
                try service.start()
            }
        }
    }

    @Test func `the last reply ends the call`() async throws {
        let call = stream()
        async let first = Self.number(call)
        let connection = try await service.accept()
        _ = try await connection.call()
        try await connection.send(Reply(parameters: ["number": 1]))
        #expect(try await first == 1)
        #expect(try await Self.number(call) == nil)
        try await connection.waitForClose()
    }

    @Test func `an error reply to the first call is thrown`() async throws {
        let call = stream()
        async let first = call.next()
        let connection = try await service.accept()
        _ = try await connection.call()
        let error = VarlinkError(name: "io.example.NoNumbers")
        try await connection.send(Reply(error: error))
        do {
            _ = try await first
            Issue.record("no error")
        } catch {
            #expect(
                error as? TransportError
                    == .failed(method: "io.example.Count", error: VarlinkError(name: "io.example.NoNumbers")))
        }
        #expect(!service.hasConnection)
    }

    @Test(arguments: ["io.sextant.Manager.TooManyConnections", "io.sextant.Manager.TooManyNewConnections"])
    func `a refused connection is attempted again`(_ name: String) async throws {
        let call = stream()
        async let first = Self.number(call)
        try await service.accept().send(Reply(error: VarlinkError(name: name)))
        let connection = try await service.accept()
        try await connection.send(number: 1)
        #expect(try await first == 1)
    }

    @Test func `a stream that was accepted survives being refused after a restart`() async throws {
        let call = stream()
        async let first = Self.number(call)
        try await service.accept().send(number: 1)
        #expect(try await first == 1)
        async let second = Self.number(call)
        try await service.accept().send(Reply(error: VarlinkError(name: "io.example.NotYet")))
        try await service.accept().send(number: 2)
        #expect(try await second == 2)
    }

    @Test func `the newest reply replaces those that were not taken`() async throws {
        let call = stream(.latest)
        async let first = Self.number(call)
        let connection = try await service.accept()
        try await connection.send(number: 1)
        #expect(try await first == 1)
        for number in 2...9 { try await connection.send(number: number) }
        let marker = stream()
        async let isRead = Self.number(marker)
        try await service.accept().send(number: 0)
        // The thread reads in order: once it has read the marker it has read all of the others.
        #expect(try await isRead == 0)
        let last = try #require(try await call.next())
        #expect(last == Arrival(parameters: ["number": 9], replaced: 7, connection: 1))
    }

    @Test func `a slow program drops nothing and stops the service instead`() async throws {
        let call = stream(.all(limit: 8))
        async let first = Self.number(call)
        let connection = try await service.accept()
        try await connection.send(number: 0)
        #expect(try await first == 0)
        let filling = JSONValue.string(String(repeating: "x", count: 4000))
        var sent = 0
        // The socket and the first replies take some hundred kilobytes, never these 40 MB.
        while sent < 10_000,
            connection.sendNow(
                Reply(parameters: ["number": .int(Int64(sent + 1)), "filling": filling], continues: true))
        {
            sent += 1
        }
        #expect(sent < 1000, "\(sent) replies were read")
        for number in 1...max(1, sent) { #expect(try await Self.number(call) == number) }
    }

    @Test func `a cancelled wait gives nil and keeps the call open`() async throws {
        let call = stream()
        async let first = Self.number(call)
        let connection = try await service.accept()
        try await connection.send(number: 1)
        #expect(try await first == 1)
        let waiting = Task { [call] in try await Self.number(call) }
        waiting.cancel()
        #expect(try await waiting.value == nil)
        try await connection.send(number: 2)
        #expect(try await Self.number(call) == 2)
    }

    @Test func `closing ends the waits and the connection`() async throws {
        let call = stream()
        async let first = Self.number(call)
        let connection = try await service.accept()
        try await connection.send(number: 1)
        #expect(try await first == 1)
        async let second = Self.number(call)
        call.close()
        #expect(try await second == nil)
        #expect(try await Self.number(call) == nil)
        try await connection.waitForClose()
    }

    @Test func `a call that was closed before its first reply is never made`() async throws {
        let (closed, other) = (stream(), stream())
        closed.close()
        #expect(try await Self.number(closed) == nil)
        async let first = Self.number(other)
        let connection = try await service.accept()
        try await connection.send(number: 1)
        #expect(try await first == 1)
        #expect(!service.hasConnection)
    }

    @Test func `parameters that are too long are an error`() async {
        let text = JSONValue.string(String(repeating: "x", count: 2 << 20))
        let call = transport.stream("io.example.Count", ["from": text], delivery: .all)
        await #expect(
            throws: TransportError.notSent(method: "io.example.Count", reason: "its parameters are too long")
        ) { try await call.next() }
    }

    @Test func `releasing a call closes its connection`() async throws {
        var call: OpenCall? = stream()
        let waiting = Task { [call] in try await call?.next() }
        let connection = try await service.accept()
        try await connection.send(number: 1)
        #expect(try await waiting.value?.parameters == ["number": 1])
        call = nil
        try await connection.waitForClose()
    }

    @Test func `a call that was lost is made again`() async throws {
        let transport = transport
        async let reply = Self.add(transport)
        _ = try await service.accept().call()
        let connection = try await service.accept()
        #expect(try await connection.call() == Call(method: "io.example.Add", parameters: ["number": 3]))
        try await connection.send(Reply(parameters: ["sum": 4]))
        #expect(try await reply == ["sum": 4])
        try await connection.waitForClose()
    }

    @Test func `an error after which the call continues does not end it`() {
        let call = stream()
        #expect(!call.hasEnded)
        call.queue.report(.noResources(reason: "too many open files"))
        #expect(!call.hasEnded)
        call.queue.finish(.noResources(reason: "too many threads"))
        #expect(call.hasEnded)
    }

    @Test func `a cancelled call throws CancellationError`() async throws {
        let waiting = Task { [transport] in try await transport.call("io.example.Wait") }
        let connection = try await service.accept()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await connection.waitForClose()
    }
}

extension ReconnectSchedule.Limits {
    /// Limits of tests that restart a service often.
    static let quick = Self(
        firstDelay: .milliseconds(2), maximumDelay: .milliseconds(10), answerTimeout: .seconds(20))
}
