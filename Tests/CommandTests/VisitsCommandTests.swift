import Testing
import Varlink
import Wire

@testable import sextant

@Suite("visits")
struct VisitsCommandTests {
    private static func visit(_ members: String) -> String {
        #"{"latitude":51.80451,"longitude":5.82475,"horizontalAccuracy":9,\#(members)}"#
    }

    private static let pages = [
        #"{"visits":["# + visit(#""arrival":"2026-11-22T07:00:00.000Z","departed":false"#) + ","
            + visit(
                #""arrival":"2026-11-21T21:30:00.000Z","departure":"2026-11-22T06:45:00.000Z","departed":true"#)
            + #"],"next":"7"}"#,
        #"{"visits":["# + visit(#""arrival":"2026-11-21T07:22:02.000Z","departed":true"#) + "]}",
    ]

    private var daemon: FakeDaemon {
        FakeDaemon(results: [
            LocationMethods.visits.name: .inTurn(VisitsCommandTests.pages.map(FakeDaemon.CallResult.reply)),
            LocationMethods.forgetVisits.name: .reply(#"{"visits":3}"#),
        ])
    }

    @Test func `all pages are printed, with their days`() throws {
        let outcome = try daemon.run(["visits", "--since", "2026-11-21"])
        #expect(outcome.status == 0 && outcome.errors == "")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 5 && lines[0] == "21 Nov 2026 UTC" && lines[3] == "22 Nov 2026 UTC", "\(lines)")
        #expect(lines[1].hasPrefix("  07:22 to ?  ") && lines[1].contains("51.80451, 5.82475"))
        #expect(lines[2].hasPrefix("  21:30 to 06:45, 22 Nov 2026"), "\(lines[2])")
        #expect(lines[2].contains("9 h 15 min") && lines[4].hasPrefix("  07:00 to now"))
        #expect(outcome.calls.map { $0.parameters["after"] } == [nil, "7"])
        #expect(outcome.calls.first?.parameters["since"] == "2026-11-21T00:00:00.000Z")
    }

    @Test func `days begin at midnight of the time zone of the user`() throws {
        let outcome = try daemon.run(
            ["visits", "--since", "2026-11-21"], launch: .variables(["TZ=CET-1CEST,M3.5.0,M10.5.0/3"]))
        #expect(outcome.output.contains("21 Nov 2026 CET\n  08:22 to ?"), "\(outcome)")
        #expect(outcome.output.contains("  22:30 to 07:45, 22 Nov 2026"), "\(outcome)")
        #expect(outcome.calls.first?.parameters["since"] == "2026-11-20T23:00:00.000Z")
    }

    @Test func `JSON has one visit per line, the oldest first`() throws {
        let outcome = try daemon.run(["visits", "--json"])
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 3 && lines[0].contains("2026-11-21T07:22:02.000Z"))
    }

    @Test func `visits are erased before a time`() throws {
        let outcome = try daemon.run(["visits", "--forget", "--until", "2026-11-21"])
        #expect(outcome.output == "erased 3 visits\n")
        #expect(outcome.calls.map { $0.parameters["before"] } == ["2026-11-21T00:00:00.000Z"])
        #expect(try daemon.run(["visits", "--forget", "--since", "2026-11-21"]).status == 64)
    }
}
