import DaemonSupport
import TestSupport
import Testing

/// The command line of the programs that read options with an `OptionTable`.
@Suite struct OptionTests {
    private static let roles = ["gpsd", "nmea", "geoclue", "time", "inlet"]

    private static func run(_ words: [String]) throws -> (end: ChildProcess.End, output: String) {
        let scratch = try Scratch()
        let program = try ChildProcess([Programs.path(of: "sextant-bridge")] + words, record: scratch("log"))
        return (try program.waitForEnd(), program.output)
    }

    /// The names of the options in the help of a role, with hyphens.
    private static func options(_ role: String) throws -> [String] {
        try run([role, "--help"]).output.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("  -") else { return nil }
            return line.split(separator: " ").first { $0.hasPrefix("--") }.map(String.init)
        }
    }

    @Test(arguments: [
        ([], "the first argument must be a role", "sextant-bridge"),
        (["gpds"], "there is no role 'gpds'", "sextant-bridge"),
        (["gpsd", "--bogus"], "unknown or ambiguous option '--bogus'", "sextant-bridge gpsd"),
        (["gpsd", "-x"], "unknown or ambiguous option '-x'", "sextant-bridge gpsd"),
        (["gpsd", "--listen"], "--listen needs a value", "sextant-bridge gpsd"),
        (["gpsd", "--configured=yes"], "--configured=yes: the option has no value", "sextant-bridge gpsd"),
        (["gpsd", "extra"], "unexpected argument 'extra'", "sextant-bridge gpsd"),
        (["gpsd", "--socket", ""], "--socket needs a path, but its value is empty", "sextant-bridge gpsd"),
        (["nmea", "--talker", "gp"], "--talker needs two capital letters, such as GP", "sextant-bridge nmea"),
        (["nmea", "--interval", "0"], "--interval must be 1 to 3600 seconds", "sextant-bridge nmea"),
        (["nmea", "--sentences", "rmc,abc"], "abc is not a sentence that the bridge writes", "sextant-bridge nmea"),
        (["time", "--shm", "256"], "--shm must be a number from 0 to 255", "sextant-bridge time"),
        (["inlet"], "the role needs one name besides its options", "sextant-bridge inlet"),
    ])
    func `a command line that is not valid is explained`(_ words: [String], _ reason: String, _ command: String) throws
    {
        let (end, output) = try OptionTests.run(words)
        #expect(end == .code(64))
        #expect(output == "sextant-bridge: \(reason)\nsextant-bridge: see '\(command) --help'\n")
    }

    @Test(arguments: [["--help"], ["-h"], ["help"]]) func `the help lists the roles`(_ words: [String]) throws {
        let (end, output) = try OptionTests.run(words)
        #expect(end == .code(0) && output.contains("Usage: sextant-bridge ROLE"))
        for role in OptionTests.roles { #expect(output.contains("\n  \(role) ")) }
        #expect(!output.contains("lookup") && output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test(arguments: OptionTests.roles) func `the help of a role fits a terminal`(_ role: String) throws {
        let (end, output) = try OptionTests.run([role, "-h"])
        #expect(end == .code(0) && output.hasPrefix("Usage: sextant-bridge \(role) "))
        #expect(output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(try OptionTests.options(role).contains("--socket"))
    }

    @Test func `the version is one line, with and without a role`() throws {
        let (end, version) = try OptionTests.run(["--version"])
        #expect(end == .code(0) && version.split(separator: "\n").count == 1)
        #expect(try OptionTests.run(["time", "--version"]).output == version)
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func `shells complete every option of every role`(_ shell: String) throws
    {
        let script = try OptionTests.run(["--generate-completion-script", shell]).output
        for role in OptionTests.roles {
            #expect(script.contains(role))
            for option in try OptionTests.options(role) {
                #expect(script.contains(option) || script.contains("-l \(option.dropFirst(2))"), "\(option)")
            }
        }
        #expect(!script.contains("lookup"))
    }

    @Test func `zsh and fish get quoted texts`() throws {
        let zsh = try OptionTests.run(["--generate-completion-script", "zsh"]).output
        #expect(zsh.contains(#"'*--configured[Use the options in the section \[gpsd\] of sextant.toml,"#))
        #expect(zsh.contains(#"memory; 0 and 1 are root'\''s.]:UNIT:'"#))
        #expect(zsh.contains("]:HOST\\:PORT:'") && zsh.contains("]:FILE:_files'"))
        let fish = try OptionTests.run(["--generate-completion-script", "fish"]).output
        #expect(fish.contains(#"-l shm -x -d 'Write measurements to this unit of ntpd\'s"#))
    }

    @Test(arguments: [
        (["time", "--c"], "--configured --chrony --config"), (["time", "--config", "/etc/host.con"], "/etc/host.conf"),
        ([""], "gpsd nmea geoclue time inlet modem zone --help --version"), (["time", "--shm=1", "--sh"], "--shm"),
    ])
    func `bash completes roles, options and files`(_ words: [String], _ expected: String) throws {
        let scratch = try Scratch()
        let script = try OptionTests.run(["--generate-completion-script", "bash"]).output
        let list = (["sextant-bridge"] + words).map { "'\($0)'" }.joined(separator: " ")
        let path = try scratch.write(
            "\(script)COMP_WORDS=(\(list)); COMP_CWORD=\(words.count); _sextant_bridge; echo ${COMPREPLY[*]}",
            to: "script")
        let process = try ChildProcess(["/bin/bash", path], record: scratch("output"))
        #expect(try process.waitForEnd() == .code(0))
        #expect(process.output == expected + "\n")
    }
}
