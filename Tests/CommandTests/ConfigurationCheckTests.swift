import Glibc
import TestSupport
import Testing

@testable import sextant

@Suite("Configuration check of doctor")
struct ConfigurationCheckTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Returns the result with a program in the place of the daemon, which has these lines.
    private func check(_ script: String, runningWith files: [String] = []) throws -> Observations.Configuration {
        let program = try scratch.write("#!/bin/sh\n\(script)\n", to: "sextantd")
        chmod(program, 0o755)
        return ConfigurationCheck(files: files, user: "alice", directory: scratch.path, program: program).run()
    }

    @Test
    func `the files that were checked are reported, not those that the daemon has read`() throws {
        #expect(try check("exit 0") == .valid(files: []))
        let main = try scratch.write("", to: "sextant.toml")
        #expect(try check("exit 0") == .valid(files: [main]))
        mkdir(scratch("conf.d"), 0o755)
        let added = try ["conf.d/b.toml", "conf.d/a.toml", "conf.d/.hidden.toml", "conf.d/note"].map {
            try scratch.write("", to: $0)
        }
        #expect(try check("exit 0", runningWith: [main]) == .valid(files: [main, added[1], added[0]]))
    }

    @Test
    func `another file of the running daemon is checked alone`() throws {
        try scratch.write("", to: "sextant.toml")
        let script = #"test "$*" = "--check-config --config /nowhere/other.toml""#
        #expect(
            try check(script, runningWith: ["/nowhere/other.toml"]) == .valid(files: ["/nowhere/other.toml"]))
    }

    @Test
    func `an invalid file is reported with its line`() throws {
        let found = try check("echo 'sextantd: /etc/sextant/sextant.toml:3: discover: must be true' >&2; exit 78")
        guard case .invalid(let problem) = found else { throw TestFailure("another result") }
        #expect(problem.file == "/etc/sextant/sextant.toml" && problem.line == 3)
        #expect(problem.reason == "discover: must be true")
    }

    @Test
    func `a check that cannot run gives no result`() throws {
        #expect(try check("echo damaged >&2; exit 78") == .unknown(reason: "damaged\n"))
        guard case .unknown(let reason) = try check("exit 1") else { throw TestFailure("another result") }
        #expect(reason.hasSuffix("--check-config failed"))
        let absent = ConfigurationCheck(files: [], user: "alice", directory: scratch.path, program: nil).run()
        #expect(absent == .unknown(reason: "sextantd is not installed"))
    }
}
