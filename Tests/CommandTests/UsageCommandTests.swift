import SextantAPI
import Testing
import Varlink

@testable import sextant

@Suite("usage and forget")
struct UsageCommandTests {
    private static func use(_ members: String) -> String {
        #"{"program":"4343:navigator.service","accuracy":"full","decidedBy":"user 0","seconds":65,\#(members)}"#
    }

    private static let pages = [
        #"{"records":["#
            + use(#""kind":"stream","state":"open","from":"2026-11-21T07:22:02.000Z","updates":1234"#)
            + #"],"next":"7"}"#,
        #"{"records":["#
            + use(
                #""kind":"oneShot","state":"ended","from":"2026-11-20T07:22:02.000Z","#
                    + #""to":"2026-11-20T07:23:07.000Z","updates":3"#
            ) + ","
            + use(
                #""kind":"visits","state":"interrupted","from":"2026-11-19T07:22:02.000Z","#
                    + #""to":"2026-11-19T07:23:07.000Z","updates":0"#
            ) + "," + use(#""kind":"monitors","state":"ended","updates":1"#) + "]}",
    ]

    private var daemon: FakeDaemon {
        FakeDaemon(results: [
            PermissionMethods.getUsage.name: .inTurn(UsageCommandTests.pages.map(FakeDaemon.CallResult.reply))
        ])
    }

    @Test
    func `usage prints all pages as one table`() throws {
        let outcome = try daemon.run(["usage"])
        #expect(outcome.status == 0 && outcome.errors == "")
        let rows = outcome.output.split(separator: "\n").map { line in
            line.split(separator: "  ", omittingEmptySubsequences: true).map { $0.drop { $0 == " " } }
        }
        let program = "4343:navigator.service"
        #expect(
            rows == [
                ["PROGRAM", "WHAT", "FROM", "TO", "UPDATES", "ACCURACY", "ALLOWED BY"],
                [program[...], "updates", "21 Nov 2026 07:22:02 UTC", "now", "1234", "full", "user root"],
                [
                    program[...], "single locations", "20 Nov 2026 07:22:02 UTC", "20 Nov 2026 07:23:07 UTC", "3",
                    "full", "user root",
                ],
                [
                    program[...], "visits", "19 Nov 2026 07:22:02 UTC", "19 Nov 2026 07:23:07 UTC or later", "0",
                    "full", "user root",
                ],
                [program[...], "fences", "unknown", "1 min 5 s later", "1", "full", "user root"],
            ])
        #expect(outcome.calls.map { $0.parameters["after"] } == [nil, "7"])
    }

    @Test
    func `usage of one program as JSON has one object per line`() throws {
        let outcome = try daemon.run(["usage", "4343:navigator.service", "--json"])
        #expect(outcome.output.split(separator: "\n").count == 4)
        #expect(outcome.output.hasPrefix(#"{"accuracy":"full","decidedBy":"user 0","from":"2026-11-21T07:22:02.000Z""#))
        #expect(outcome.calls.allSatisfy { $0.parameters["program"] == "4343:navigator.service" })
    }

    @Test
    func `usage without a record prints a sentence`() throws {
        let none = FakeDaemon(results: [PermissionMethods.getUsage.name: .reply(#"{"records":[]}"#)])
        let outcome = try none.run(["usage"])
        #expect(outcome.status == 0 && outcome.output == "No program has used the location in the last 30 days.\n")
    }

    @Test
    func `who lists declared sessions and leases`() throws {
        let reply = """
            {"consumers":[],"activities":[],"allowsSleep":true,\
            "sessions":[{"owner":"4343:navigator.service","requirement":"always","purpose":"navigation"},\
            {"owner":"4242","requirement":"always","ineffective":true}],\
            "leases":[{"owner":"4242","since":"2026-11-21T07:22:02.000Z"},\
            {"owner":"4243","since":"2026-11-21T07:22:02.000Z","ending":true}]}
            """
        let outcome = try FakeDaemon(results: [ManagerMethods.getConsumers.name: .reply(reply)]).run(["who"])
        #expect(
            outcome.output == """
                No program keeps a receiver on.

                SESSION OF              REQUIRES                 PURPOSE
                4343:navigator.service  always                   navigation
                user 4242               always (does not count)  -

                LEASE OF   SINCE
                user 4242  21 Nov 2026 07:22:02 UTC
                user 4243  21 Nov 2026 07:22:02 UTC, ends within 60 s

                No receiver has sent data.

                """)
    }

    @Test
    func `forget prints what was erased, and who may`() throws {
        let done = FakeDaemon(results: [
            PermissionMethods.forget.name: .reply(#"{"uses":12,"positions":1,"visits":0}"#)
        ])
        let plain = try done.run(["forget"])
        #expect(plain.status == 0 && plain.output == "erased 12 records of use, 1 last position and 0 visits\n")
        #expect(try done.run(["forget", "--json"]).output == #"{"positions":1,"uses":12,"visits":0}"# + "\n")
        let refused = FakeDaemon(results: [
            PermissionMethods.forget.name: .error(
                "io.sextant.Permission.NotAllowed", #"{"detail":"only user 0 may do this; use sudo"}"#)
        ])
        let outcome = try refused.run(["forget"])
        #expect(outcome.status == 77 && outcome.errors.contains("use sudo"))
    }
}
