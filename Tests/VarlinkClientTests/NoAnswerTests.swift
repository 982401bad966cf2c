import Chronology
import DaemonSupport
import TestSupport
import Testing
import Varlink

@testable import VarlinkClient

@Suite struct NoAnswerTests {
    private let limits = ReconnectSchedule.Limits(
        firstDelay: .milliseconds(5), maximumDelay: .milliseconds(20), answerTimeout: .milliseconds(200))

    private func failure(at socket: String) async throws -> String {
        let call = Transport(socket: socket, limits: limits).stream("io.example.Count", delivery: .latest)
        do {
            _ = try await call.next()
        } catch {
            return error.description
        }
        throw TestFailure("no error")
    }

    @Test func `without a daemon the error names the socket and what to check`() async throws {
        let text = try await failure(at: "/tmp/sextant-no-such-socket")
        #expect(text.contains("/tmp/sextant-no-such-socket: connecting: No such file or directory"), "\(text)")
        #expect(text.contains("systemctl status sextantd.socket") && text.contains("SEXTANT_SOCKET"), "\(text)")
    }

    @Test func `a path that is too long for a socket is named`() async throws {
        let text = try await failure(at: "/tmp/" + String(repeating: "s", count: 200))
        #expect(text.contains("File name too long"), "\(text)")
    }

    @Test func `a daemon that never answers is an error`() async throws {
        let scratch = try Scratch()
        let service = try FakeService(at: scratch("socket"))
        let text = try await failure(at: service.path)
        #expect(text.contains("it accepts connections and does not answer"), "\(text)")
    }

    enum Attempt: CaseIterable { case connects, fails, cannotWait }

    /// A call in simulated time.
    @Test(arguments: Attempt.allCases, [false, true])
    func `the error is that of the last attempt, and a call that persists continues`(
        attempt: Attempt, persists: Bool
    ) async throws {
        let scratch = try Scratch()
        let service = try FakeService(at: scratch("socket"))
        let queue = ReplyQueue(.latest)
        let call = CallConnection(
            CallRequest(
                call: Call(method: "io.example.Count"), socket: service.path, limits: limits, persists: persists),
            queue, at: .zero)
        #expect(call.isConnected && call.interest?.reads == true)
        call.failToWait("no space", at: .zero)
        #expect(!call.isConnected && call.interest == nil)
        if attempt == .fails { service.stop() }
        let end = Instant.zero + limits.answerTimeout
        // The delays double from 5 to 20 ms.
        for _ in 0..<20 {
            guard let next = call.deadline, next <= end else { break }
            call.tick(at: next)
            if attempt == .cannotWait, call.isConnected { call.failToWait("no space", at: next) }
        }
        let failure: TransportError =
            switch attempt {
            case .connects:
                .noAnswer(socket: service.path, reason: "it accepts connections and does not answer")
            case .fails: .noAnswer(socket: service.path, reason: "connecting: No such file or directory")
            case .cannotWait: .noResources(reason: "no space")
            }
        let number = queue.newWaiter()
        guard case .end(failure) = await withCheckedContinuation({ _ = queue.take(number, $0) }) else {
            throw TestFailure("no error, or another")
        }
        #expect(call.hasEnded == !persists && call.interest == nil && !call.isConnected)
        #expect(call.deadline == (persists ? end + limits.maximumDelay : nil))
    }

    @Test func `a channel without bytes is not at its end`() throws {
        let scratch = try Scratch()
        let service = try FakeService(at: scratch("socket"))
        let channel = try Channel(to: service.path)
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(!channel.read(into: &buffer))
        #expect(try channel.next() == nil)
    }

    @Test func `a daemon that starts late is found`() async throws {
        let scratch = try Scratch()
        let service = try FakeService(at: scratch("socket"))
        service.stop()
        let transport = Transport(socket: service.path, limits: .quick)
        let call = transport.stream("io.example.Count", delivery: .latest)
        async let first = call.next()
        try service.start()
        try await service.accept().send(number: 1)
        #expect(try await first?.parameters == ["number": 1])
    }

    @Test func `SEXTANT_SOCKET names the socket`() {
        #expect(Transport.socket(named: "/tmp/other") == "/tmp/other")
        #expect(Transport.socket(named: "") == "/run/sextant/io.sextant")
        #expect(Transport.socket(named: nil) == "/run/sextant/io.sextant")
    }
}
