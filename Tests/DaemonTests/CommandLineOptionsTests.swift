import DaemonSupport
import TestSupport
import Testing

@testable import sextantd

extension WholeDaemon {
    @Suite struct CommandLine {
        @Test(arguments: [
            (["--bogus"], "--bogus"), (["--socket"], "--socket"), (["--socket", ""], "--socket needs a path"),
            (["--device", "/dev/ttyS0", "--device", ""], "--device needs a path"),
            (["--check-config=yes"], "check-config"),
            (["extra"], "unexpected argument 'extra'"), (["--", "--socket"], "unexpected argument '--socket'"),
        ])
        func `options that are not understood end with status 64 and name the mistake`(
            _ flags: [String], _ reason: String
        )
            throws
        {
            let (end, output) = try run(flags)
            #expect(end == .code(64))
            #expect(output.contains(reason))
            #expect(output.hasSuffix("sextantd: see 'sextantd --help'\n"))
        }

        @Test func `the help lists every option`() throws {
            let (end, output) = try run(["--help"])
            #expect(end == .code(0))
            for name in ["device", "socket", "state", "config", "check-config", "version", "help"] {
                #expect(output.contains("--\(name) "))
            }
            #expect(try run(["-h"]).output == output)
        }

        @Test func `the version is one line`() throws {
            let (end, output) = try run(["--version"])
            #expect(end == .code(0) && output.split(separator: "\n").count == 1)
        }

        @Test func `a value follows its option with a space or an equals sign`() throws {
            let scratch = try Scratch()
            let file = try scratch.write("[receivers]\ndiscover = false\n", to: "sextant.toml")
            for flags in [["--config", file], ["--config=\(file)"]] {
                let (end, output) = try run(["--check-config"] + flags)
                #expect(end == .code(0) && output == "good: \(file)\n")
            }
        }

        /// The file of a path that is not text would be another one.
        @Test func `a path that is not UTF-8 is refused`() throws {
            let scratch = try Scratch()
            let line = try "exec \(Programs.path(of: "sextantd")) --check-config --config \"$(printf '/tmp/\\377')\""
            let program = try ChildProcess(["/bin/sh", "-c", line], record: scratch("log"))
            #expect(try program.waitForEnd() == .code(64))
            #expect(program.output.contains("not UTF-8"))
        }

        private func run(_ flags: [String]) throws -> (end: ChildProcess.End, output: String) {
            let scratch = try Scratch()
            let program = try ChildProcess([Programs.path(of: "sextantd")] + flags, record: scratch("log"))
            return (try program.waitForEnd(), program.output)
        }
    }
}
