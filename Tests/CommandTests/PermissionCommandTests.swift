import SextantAPI
import Testing
import Varlink

@testable import sextant

@Suite("grant, revoke, grants, enable and disable")
struct PermissionCommandTests {
    private static let grants = """
        {"grants":[\
        {"program":"4242:user:app-org.example.Map.service","authorization":"whenInUse","accuracy":"reduced",\
        "author":"agent","uid":4242,"date":"2026-11-21T07:22:02.000Z"},\
        {"program":"4343:navigator.service","authorization":"always","accuracy":"full","author":"administrator",\
        "uid":4242,"date":"2026-11-20T07:22:02.000Z","overruledBy":"/etc/sextant/sextant.toml:12"}],\
        "rules":[{"uid":4343,"unit":"navigator.service","authorization":"denied",\
        "place":"/etc/sextant/sextant.toml:12"},\
        {"application":"org.example.Map","accuracy":"reduced","place":"/etc/sextant/conf.d/map.toml:1"}],\
        "default":"ask","accuracy":"full","switch":{"enabled":false,"uid":4242,"date":"2026-11-21T08:00:00.000Z"}}
        """

    private static func explained(
        _ authorization: String = "always", accuracy: String = "full", by decidedBy: String = "user 0",
        detail: String? = nil
    ) -> FakeDaemon.CallResult {
        let detail = detail.map { #","detail":"\#($0)""# } ?? ""
        return .reply(
            #"{"program":"4343:navigator.service","authorization":"\#(authorization)","accuracy":"\#(accuracy)","#
                + #""decidedBy":"\#(decidedBy)"\#(detail)}"#)
    }

    private func daemon(_ results: [String: FakeDaemon.CallResult] = [:]) -> FakeDaemon {
        FakeDaemon(
            results: [
                PermissionMethods.set.name: .reply("{}"),
                PermissionMethods.remove.name: .reply(#"{"removed":true}"#),
                PermissionMethods.list.name: .reply(PermissionCommandTests.grants),
                PermissionMethods.explain.name: PermissionCommandTests.explained(),
                PermissionMethods.setEnabled.name: .reply("{}"),
            ].merging(results) { $1 })
    }

    @Test(
        arguments: [
            ([], ["authorization": "always"]),
            (["--when-in-use", "--reduced"], ["authorization": "whenInUse", "accuracy": "reduced"]),
            (["--denied"], ["authorization": "denied"]),
        ] as [([String], [String: JSONValue])])
    func `grant sends the decision and prints what applies`(options: [String], members: [String: JSONValue]) throws {
        let outcome = try daemon().run(["grant", "4343:navigator.service"] + options)
        #expect(outcome.status == 0 && outcome.errors == "")
        #expect(outcome.output == "4343:navigator.service may know the location at any time\n")
        #expect(
            outcome.calls.first?.parameters == members.merging(["program": "4343:navigator.service"]) { $1 })
    }

    @Test
    func `a decision that a rule overrules exits with 1 and names the rule`() throws {
        let outcome = try daemon([
            PermissionMethods.set.name: .reply(#"{"overruledBy":"/etc/sextant/sextant.toml:12"}"#),
            PermissionMethods.explain.name: PermissionCommandTests.explained("restricted"),
        ]).run(["grant", "4343:navigator.service"])
        #expect(outcome.status == 1 && outcome.output == "")
        #expect(
            outcome.errors == """
                sextant: the decision is saved, but the rule in /etc/sextant/sextant.toml:12 decides: \
                4343:navigator.service may not know the location: the configuration denies it; to change the rule: \
                sudo ${EDITOR:-vi} +12 /etc/sextant/sextant.toml && sudo systemctl reload sextantd.service

                """)
    }

    @Test
    func `grant prints why an allowed program gets no location now`() throws {
        let explained = PermissionCommandTests.explained("whenInUse", detail: "user 4343 has no active login session")
        let outcome = try daemon([PermissionMethods.explain.name: explained]).run([
            "grant", "4343:navigator.service", "--when-in-use",
        ])
        #expect(outcome.status == 0 && outcome.output.contains("while it is in use"))
        #expect(outcome.errors == "sextant: user 4343 has no active login session\n")
    }

    @Test
    func `a user without the right to decide exits with 77 and the remedy`() throws {
        let refusal = FakeDaemon.CallResult.error(
            Interface.permission.error(named: "NotAllowed"), #"{"detail":"only user 0 may do this; use sudo"}"#)
        for (method, arguments) in [
            (PermissionMethods.set.name, ["grant", "4343"]), (PermissionMethods.remove.name, ["revoke", "4343"]),
            (PermissionMethods.setEnabled.name, ["enable"]), (PermissionMethods.setEnabled.name, ["disable"]),
        ] {
            let outcome = try daemon([method: refusal]).run(arguments)
            #expect(outcome.status == 77 && outcome.errors == "sextant: only user root may do this; use sudo\n")
        }
    }

    @Test
    func `revoke prints what then decides, and exits with 2 without a decision`() throws {
        let outcome = try daemon([
            PermissionMethods.explain.name: PermissionCommandTests.explained(
                "denied", by: "permissions.default in /a:1")
        ]).run(["revoke", "4343:navigator.service"])
        #expect(
            outcome.output
                == "4343:navigator.service may not know the location, decided by permissions.default in /a:1\n")
        let none = try daemon([PermissionMethods.remove.name: .reply(#"{"removed":false}"#)]).run(["revoke", "4343"])
        #expect(none.status == 2 && none.errors.contains("sextant grants"))
    }

    @Test
    func `grants prints decisions, rules, the default and the switch`() throws {
        let outcome = try daemon().run(["grants"])
        #expect(
            outcome.output == """
                PROGRAM                                ALLOWED       ACCURACY  DECIDED BY                    DATE
                4242:user:app-org.example.Map.service  while in use  reduced   user 4242, \
                asked by an agent  21 Nov 2026 07:22:02 UTC
                4343:navigator.service                 always        full      user 4242 \
                with sextant grant  20 Nov 2026 07:22:02 UTC
                  overruled by the rule in /etc/sextant/sextant.toml:12

                RULES FOR                     ALLOWED  ACCURACY  PLACE
                navigator.service, user 4343  no       -         /etc/sextant/sextant.toml:12
                application org.example.Map   -        reduced   /etc/sextant/conf.d/map.toml:1

                Programs without a rule and a decision: an agent asks the user, accuracy full.
                Location is switched off for all programs by user 4242, 21 Nov 2026 08:00:00 UTC. To switch it on: \
                sudo sextant enable

                """)
        let json = try daemon().run(["grants", "--json"])
        #expect(
            try JSONValue(parsing: Array(json.output.utf8))
                == JSONValue(parsing: Array(PermissionCommandTests.grants.utf8)))
    }

    @Test
    func `enable and disable send the state of the switch`() throws {
        for (command, isOn) in [("enable", true), ("disable", false)] {
            let outcome = try daemon().run([command])
            #expect(outcome.output == "location is switched \(isOn ? "on" : "off") for all programs\n")
            #expect(outcome.calls.map(\.parameters) == [["enabled": .bool(isOn)]])
        }
    }

    @Test(arguments: [["grant"], ["grant", "1", "--always", "--denied"], ["grant", "1", "--denied", "--reduced"]])
    func `contradictory decisions exit with 64`(arguments: [String]) throws {
        #expect(try daemon().run(arguments).status == 64)
    }
}

@Suite("Names of programs")
struct ProgramNameTests {
    private func meaning(_ name: String) -> ProgramName.Meaning? {
        try? ProgramName.meaning(of: name) { ["alice": 1000, "navigator": 998][$0] }
    }

    @Test
    func `a name is a text form, a user, a user with a unit, or a unit`() {
        #expect(meaning("998:navigator.service") == .program("998:navigator.service"))
        #expect(meaning("1000") == .program("1000"))
        #expect(meaning("1000:user:a.service") == .program("1000:user:a.service"))
        #expect(meaning("alice") == .program("1000"))
        #expect(meaning("alice:map.service") == .program("1000:map.service"))
        #expect(meaning("alice:user:map.service") == .program("1000:user:map.service"))
        #expect(meaning("map.service") == .unit("map.service"))
        #expect(meaning("user:map.service") == .unit("user:map.service"))
        #expect(meaning("navigator") == .program("998"))
    }

    @Test(arguments: ["", "bob", "01000", "alice:map", "alice:", "1000:", "bob:map.service", "-1", "a b.service"])
    func `any other name is refused`(name: String) { #expect(meaning(name) == nil) }

    @Test
    func `a unit alone selects the only known program that has it`() throws {
        let known: [ProgramName.Known] = [
            .exact("1000:user:map.service"), .exact("998:navigator.service"), .unit("navigator.service", user: 998),
            .unit("both.service", user: 1000), .unit("app-org.example.Map.service", user: 1000),
        ]
        #expect(try ProgramName.select("navigator.service", from: known) == "998:navigator.service")
        #expect(try ProgramName.select("map.service", from: known) == "1000:user:map.service")
        #expect(
            try ProgramName.select("app-org.example.Map.service", from: known)
                == "1000:user:app-org.example.Map.service")
        #expect(try ProgramName.select("user:both.service", from: known) == "1000:user:both.service")
    }

    @Test
    func `a unit of no program or of several is refused with the programs`() {
        let known: [ProgramName.Known] = [
            .unit("both.service", user: 1000), .exact("998:two.service"), .exact("7:two.service"),
        ]
        for (unit, choices) in [
            ("both.service", ["1000:both.service", "1000:user:both.service"]),
            ("two.service", ["7:two.service", "998:two.service"]), ("none.service", []),
        ] {
            let error = #expect(throws: CommandError.self) { try ProgramName.select(unit, from: known) }
            #expect(error?.choices == choices && error?.exitStatus == .usage)
        }
    }
}
