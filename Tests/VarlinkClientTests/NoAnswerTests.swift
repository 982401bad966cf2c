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
