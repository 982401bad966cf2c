import SextantAPI
import Testing
import Varlink

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
        let outcome = try daemon.run(["visits", "--from", "2026-11-21"])
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
            ["visits", "--from", "2026-11-21"], launch: .variables(["TZ=CET-1CEST,M3.5.0,M10.5.0/3"]))
        #expect(outcome.output.contains("21 Nov 2026 CET\n  08:22 to ?"), "\(outcome)")
        #expect(outcome.output.contains("  22:30 to 07:45, 22 Nov 2026"), "\(outcome)")
        #expect(outcome.calls.first?.parameters["since"] == "2026-11-20T23:00:00.000Z")
    }

    @Test(arguments: [
        // The clock is set back from 01:00 to 00:00, and forward from 00:00 to 01:00.
        ("America/Havana", "2026-11-01", "2026-11-01T04:00:00.000Z"),
        ("America/Havana", "2026-03-08", "2026-03-08T05:00:00.000Z"),
        ("America/Havana", "2026-07-01", "2026-07-01T04:00:00.000Z"),
        ("Europe/Dublin", "2026-12-01", "2026-12-01T00:00:00.000Z"),
        ("Europe/Dublin", "2026-07-01", "2026-06-30T23:00:00.000Z"), ("UTC", "2026-07-01", "2026-07-01T00:00:00.000Z"),
        ("Asia/Kolkata", "2026-07-01", "2026-06-30T18:30:00.000Z"),
    ])
    func `a day begins with its first time, also where clocks change at midnight`(
        zone: String, day: String, start: String
    ) throws {
        let outcome = try daemon.run(["visits", "--from", day], launch: .variables(["TZ=\(zone)"]))
        #expect(outcome.calls.first?.parameters["since"]?.string == start)
    }

    @Test func `a day on which clocks change has one heading`() throws {
        let visits = ["2026-10-25T04:00:00.000Z", "2026-10-24T23:00:00.000Z"].map {
            VisitsCommandTests.visit(#""arrival":"\#($0)","departed":true"#)
        }
        let daemon = FakeDaemon(results: [
            LocationMethods.visits.name: .reply(#"{"visits":[\#(visits.joined(separator: ","))]}"#)
        ])
        let outcome = try daemon.run(["visits"], launch: .variables(["TZ=CET-1CEST,M3.5.0,M10.5.0/3"]))
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 3 && lines.first == "25 Oct 2026 CEST", "\(outcome)")
    }

    @Test func `JSON has one visit per line, the oldest first`() throws {
        let outcome = try daemon.run(["visits", "--json"])
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 3 && lines[0].contains("2026-11-21T07:22:02.000Z"))
    }

    @Test func `visits are erased before a time`() throws {
        let outcome = try daemon.run(["visits", "--forget", "--to", "2026-11-21"])
        #expect(outcome.output == "erased 3 visits\n")
        #expect(outcome.calls.map { $0.parameters["before"] } == ["2026-11-21T00:00:00.000Z"])
        #expect(try daemon.run(["visits", "--forget", "--from", "2026-11-21"]).status == 64)
    }
}
