import ArgumentParser
import Testing

@testable import sextantd

/// The command line of a service that is simply to run is read without ArgumentParser, and must be read as it reads it.
@Suite struct LaunchTests {
    @Test(arguments: [
        [],
        ["--device", "/dev/ttyACM0"],
        ["--device", "/dev/ttyS0", "--socket", "/run/s", "--device", "/dev/ttyS1", "--state", "st", "--config", "a b.toml"],
        ["--config", "é=ü", "--state", "/"],
    ])
    func whatIsPlainIsReadAsArgumentParserReadsIt(words: [String]) throws {
        let plain = try #require(Launch(plain: words))
        #expect(plain == (try Sextantd.parse(words)).launch)
    }

    @Test(arguments: [
        ["--help"], ["-h"], ["--version"], ["--check-config"], ["--config", "a", "--check-config"],
        ["--generate-completion-script", "bash"], ["--device"], ["--device", "--socket", "a"], ["--device", ""],
        ["--device=/dev/ttyS0"], ["--socket", "a", "--socket", "b"], ["--state", "a", "--state", "b"],
        ["--config", "a", "--config", "b"], ["--devices", "a"], ["-d", "a"], ["device", "a"], ["--", "a"],
        ["--socket", "-"], ["--socket", "a", "b"],
    ])
    func everythingElseIsLeftToArgumentParser(words: [String]) {
        #expect(Launch(plain: words) == nil)
    }
}
