import Testing

@testable import Fleet

/// The reasons that OpenSSL reports when a connection ends.
@Suite struct TLSProblemTests {
    @Test func `a certificate that cannot be verified is a refusal`() throws {
        let line = "OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed"
        let problem = try #require(TLSProblem(logLine: line))
        #expect(problem.isRefusal)
        #expect(problem.description == "TLS: certificate verify failed")
    }

    @Test func `an early end of the connection is no refusal`() throws {
        let line = "OpenSSL Error[0]: error:0A000126:SSL routines::unexpected eof while reading"
        let problem = try #require(TLSProblem(logLine: line))
        #expect(!problem.isRefusal)
    }

    @Test(arguments: ["", "OpenSSL Error[", "Client sends CONNECT", "OpenSSL Error"])
    func `other lines are no problem`(_ line: String) {
        #expect(TLSProblem(logLine: line) == nil)
    }

    @Test func `a line without a reason has an unknown one`() throws {
        let problem = try #require(TLSProblem(logLine: "OpenSSL Error[0]: error:"))
        #expect(problem.reason == "unknown")
    }
}
