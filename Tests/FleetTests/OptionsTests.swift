import DaemonSupport
import ServiceRuntime
import TestSupport
import Testing

@testable import sextant_fleet

/// The command line of sextant-fleet.
@Suite struct OptionsTests {
    private func options(_ set: [(String, String)]) throws(UsageError) -> ReportOptions {
        var options = ReportOptions()
        for (option, value) in set { try options.set(option, to: value) }
        return options
    }

    private func message(_ set: [(String, String)]) -> String? {
        do throws(UsageError) {
            try options(set).validate(hasCredential: false)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func `options can be repeated, and each has its range`() throws {
        let read = try options([
            ("state", "/tmp"), ("destination", "mqtt://a"), ("destination", "mqtt://b"), ("monitor", "home"),
            ("monitor", "work"), ("tolerance", "0"), ("batch", "60"),
            ("no-home-assistant", ""),
        ])
        #expect(read.destinations == ["mqtt://a", "mqtt://b"] && read.monitors == ["home", "work"])
        #expect(read.tolerance == 0 && read.batch == 60 && read.homeAssistant == false)
        #expect(message([("tolerance", "nan")]) == "--tolerance must be 0 to 100000 metres")
        #expect(message([("batch", "9")]) == "--batch must be a number from 10 to 3600")
        #expect(message([("spread", "301")]) == "--spread must be a number from 1 to 300")
        #expect(message([("accuracy", "rough")]) == "--accuracy must be full or reduced")
        #expect(message([("quiet-hours", "22")])?.hasPrefix("22 is not valid for quiet hours") == true)
        #expect(message([("quiet-place", "1,2")])?.hasPrefix("1,2 is not valid for a quiet place") == true)
        #expect(message([("user", "a/b")]) == "--user and --device must be names without /, + and #")
        #expect(
            message([("destination", "broker:1883")])?.hasPrefix("--destination: broker:1883 is not a destination")
                == true)
        #expect(message([("state", "")]) == "--state needs a path, but its value is empty")
    }

    @Test(arguments: [(["--bogus"], 64), (["--configured", "work"], 78)] as [([String], Int32)])
    func `wrong options end with 64, invalid settings with 78`(_ words: [String], _ status: Int32) throws {
        let scratch = try Scratch()
        let section = "[fleet.work]\ndestination = \"mqtt://a\"\nquiet_hours = \"22:00-22:00\"\n"
        let common = ["--state", scratch("state"), "--config", try scratch.write(section, to: "sextant.toml")]
        let program = try ChildProcess(
            [Programs.path(of: "sextant-fleet")] + words + common, record: scratch("log"))
        #expect(try program.waitForEnd() == .code(status), "\(program.output)")
    }

    @Test func `a state directory and a destination are needed`() {
        #expect(message([("destination", "mqtt://a")]) == "--state is missing")
        #expect(message([("state", "/tmp")]) == "--destination is missing")
        #expect(message([("state", "/tmp"), ("configured", "work")]) == nil)
        #expect(message([("state", "/tmp"), ("destination-file", "/tmp/list")]) == nil)
    }
}
