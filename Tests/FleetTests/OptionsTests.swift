import Foundation
import Testing

@testable import Fleet
@testable import sextant_fleet

/// The command line of sextant-fleet.
@Suite struct OptionsTests {
    private func options(_ set: [(Character, String)]) throws(UsageError) -> ReportOptions {
        var options = ReportOptions()
        for (code, value) in set { try options.set(code, value) }
        return options
    }

    private func message(_ set: [(Character, String)]) -> String? {
        do throws(UsageError) {
            try options(set).validate(hasCredential: false)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func `options can be repeated, and each has its range`() throws {
        let read = try options([
            ("s", "/tmp"), ("d", "mqtt://a"), ("d", "mqtt://b"), ("m", "home"), ("m", "work"), ("t", "0"), ("b", "60"),
            ("N", ""),
        ])
        #expect(read.destinations == ["mqtt://a", "mqtt://b"] && read.monitors == ["home", "work"])
        #expect(read.tolerance == 0 && read.batch == 60 && read.homeAssistant == false)
        #expect(message([("t", "nan")]) == "--tolerance must be 0 to 100000 metres")
        #expect(message([("b", "9")]) == "--batch must be a number from 10 to 3600")
        #expect(message([("p", "301")]) == "--spread must be a number from 1 to 300")
        #expect(message([("a", "rough")]) == "--accuracy must be full or reduced")
        #expect(message([("u", "a/b")]) == "--user and --device must be names without /, + and #")
        #expect(message([("d", "broker:1883")])?.hasPrefix("--destination: broker:1883 is not a destination") == true)
        #expect(message([("s", "")]) == "--state needs a path, but its value is empty")
    }

    @Test func `a state directory and a destination are needed`() {
        #expect(message([("d", "mqtt://a")]) == "--state is missing")
        #expect(message([("s", "/tmp")]) == "--destination is missing")
        #expect(message([("s", "/tmp"), ("c", "work")]) == nil)
        #expect(message([("s", "/tmp"), ("f", "/tmp/list")]) == nil)
    }

    @Test func `codes are unique, and the help has all options and fits a terminal`() {
        let table = ReportOptions.table
        let codes = table.entries.map(\.code) + [OptionTable.help]
        #expect(Set(codes).count == codes.count)
        #expect(table.entries.allSatisfy { table.helpText.contains("  --\($0.name)") })
        #expect(table.helpText.split(separator: "\n").allSatisfy { $0.count <= 90 })
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func `shells complete every option`(shell: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let script = try String(
            contentsOf: folder.appending(path: "packaging/completions/sextant-fleet.\(shell)"), encoding: .utf8)
        for entry in ReportOptions.table.entries {
            #expect(script.contains("--\(entry.name)") || script.contains("-l \(entry.name)"), "\(entry.name)")
        }
    }
}
