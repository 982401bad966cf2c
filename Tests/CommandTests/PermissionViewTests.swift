import Chronology
import Permission
import Positioning
import SextantAPI
import Testing
import Varlink

@testable import sextant

/// Commands of a program that may not know the location, or only a reduced one.
@Suite("Commands without permission")
struct PermissionViewTests {
    private static let detail = "the program 4242 may not know the location; to allow it: sudo sextant grant 4242"
    private static let deniedUpdate = #"{"sequence":1,"dropped":0,"detail":"\#(detail)","authorizationDenied":true}"#
    private static let reducedLocation = """
        {"latitude":48.13571,"longitude":11.57432,"horizontalAccuracy":3700,"accuracySource":"reduced","mode":"2d",\
        "quality":"autonomous","receiver":"gps"}
        """
    private static let reducedUpdate =
        #"{"sequence":1,"dropped":0,"location":\#(reducedLocation),"detail":"reduced by user 0","#
        + #""accuracyLimited":true}"#

    private func denied(_ interface: Interface) -> FakeDaemon.CallResult {
        .error(
            PermissionDeniedError.name(in: interface),
            #"{"authorization":"denied","decidedBy":"user 0","detail":"\#(PermissionViewTests.detail)"}"#)
    }

    @Test
    func `locate exits with 77 and the remedy, as text and as JSON`() throws {
        let daemon = FakeDaemon(results: [LocationMethods.getLocation.name: denied(.location)])
        let plain = try daemon.run(["locate"])
        #expect(plain.status == 77 && plain.output == "" && plain.errors == "sextant: \(PermissionViewTests.detail)\n")
        let json = try daemon.run(["locate", "--json"])
        #expect(json.status == 77 && json.output.contains(#""authorization":"denied""#))
    }

    @Test(arguments: ["who", "power"])
    func `commands about programs and energy exit with 77`(command: String) throws {
        let results = [ManagerMethods.getConsumers.name, ManagerMethods.getPower.name].map { ($0, denied(.manager)) }
        let outcome = try FakeDaemon(results: Dictionary(uniqueKeysWithValues: results)).run([command])
        #expect(outcome.status == 77 && outcome.errors.contains("sudo sextant grant 4242"))
    }

    @Test
    func `watch prints the reason while denied and continues when permitted`() throws {
        let daemon = FakeDaemon(results: [
            LocationMethods.subscribe.name: .replies([PermissionViewTests.deniedUpdate, Sample.updateText])
        ])
        let lines = try daemon.run(["watch", "--duration", "0.5"]).output.split(separator: "\n")
        #expect(lines.first == "no position: \(PermissionViewTests.detail)")
        #expect(lines.last?.hasPrefix("21 Nov 2026 07:22:02 UTC 48.117300° N") == true)
    }

    @Test
    func `watch --visits prints the reason while denied`() throws {
        let reply = #"{"permissionDenied":"\#(PermissionViewTests.detail)"}"#
        let daemon = FakeDaemon(results: [LocationMethods.watchVisits.name: .reply(reply)])
        let plain = try daemon.run(["watch", "--visits", "--duration", "0.5"])
        #expect(plain.output == "no visits: \(PermissionViewTests.detail)\n")
        #expect(try daemon.run(["watch", "--visits", "--duration", "0.5", "--json"]).output == reply + "\n")
    }

    @Test
    func `a reduced location has three decimals and no fix`() throws {
        let update: SubscribeReply = try Sample.read(PermissionViewTests.reducedUpdate)
        #expect(PositionLine.text(update) == "48.136° N 11.574° E ±3.7 km · reduced to an area · gps")
        let none: SubscribeReply = try Sample.read(
            #"{"sequence":1,"dropped":0,"detail":"reduced by user 0","accuracyLimited":true}"#)
        #expect(PositionLine.text(none) == "no position yet: reduced by user root")
    }

    private func screen(_ updates: [String]) throws -> String {
        var view = WatchView(configuration: .default)
        for update in updates { view.update(with: .update(try Sample.read(update)), at: .zero) }
        return view.draw(.assumed, at: .zero).lines(.plain).joined(separator: "\n")
    }

    @Test
    func `the live view shows the reason, and no position from before`() throws {
        let text = try screen([Sample.updateText, PermissionViewTests.deniedUpdate])
        #expect(text.contains("Not permitted") && text.contains("sudo sextant grant"))
        #expect(!text.contains("48.117") && !text.contains("Last known"))
        #expect(try screen([PermissionViewTests.deniedUpdate, Sample.updateText]).contains("48.117300° N"))
    }

    @Test
    func `the live view shows a reduced location without false precision`() throws {
        let text = try screen([PermissionViewTests.reducedUpdate])
        #expect(
            text.contains("48.136° N") && text.contains("reduced to an area") && text.contains("reduced by user root"))
        #expect(!text.contains("″") && !text.contains("Altitude") && !text.contains("Fix"))
        let waiting = #"{"sequence":2,"dropped":0,"detail":"reduced by user 0","accuracyLimited":true}"#
        #expect(!(try screen([Sample.updateText, waiting]).contains("48.117")))
    }

    @Test
    func `status shows that location is switched off`() throws {
        let off = Sample.statusText.replacing(#""enabled":true"#, with: #""enabled":false"#)
        let daemon = FakeDaemon(results: [ManagerMethods.getStatus.name: .reply(#"{"status":\#(off)}"#)])
        #expect(try daemon.run(["status"]).output.contains("location       is switched off for all programs"))
    }

    @Test
    func `sky names the permission, not the antenna`() throws {
        let permission =
            #"{"permission":{"program":"4242","authorization":"denied","accuracy":"full","decidedBy":"user 0","#
            + #""detail":"\#(PermissionViewTests.detail)"}}"#
        let daemon = FakeDaemon(results: [
            ReceiverMethods.list.name: .reply(#"{"receivers":[\#(Sample.receiverText(satellites: ""))]}"#),
            SessionMethods.getAuthorization.name: .reply(permission),
        ])
        let outcome = try daemon.run(["sky"])
        #expect(outcome.status == 77 && outcome.errors == "sextant: no satellites: \(PermissionViewTests.detail)\n")
    }

    @Test
    func `fences of a program without permission are listed as not permitted`() throws {
        let record = FenceSample.record(#","authorizationDenied":true"#, state: "unmonitored")
        let daemon = FakeDaemon(results: [
            MonitorMethods.listMonitors.name: .reply(#"{"monitors":[\#(FenceSample.monitor())]}"#),
            MonitorMethods.list.name: .reply(#"{"records":[\#(record)]}"#),
            MonitorMethods.getRecord.name: .reply(#"{"record":\#(record)}"#),
            MonitorMethods.nearest.name: denied(.monitor),
        ])
        let reason = "not permitted: fences need the full location; find the cause with: sextant doctor program"
        let list = try daemon.run(["fence", "list"])
        #expect(list.output.contains("home   not permitted") && list.output.contains("\(reason) \(FenceOptions.user)"))
        let show = try daemon.run(["fence", "show", "home"])
        #expect(show.status == 0 && show.output.contains("state       not permitted"))
        #expect(show.output.contains("reason      \(reason)"))
        #expect(try daemon.run(["fence", "show"]).status == 77)
        let doctor = try daemon.run(["doctor", "fence", "home"])
        #expect(doctor.status == 2 && doctor.output.contains("$ sextant doctor program \(FenceOptions.user)"))
    }

    @Test
    func `fence watch reports a change of permission`() throws {
        let denied = FenceSample.monitor(#","isOpen":true,"authorizationDeniedGlobally":true"#)
        let replies = [denied, FenceSample.monitor()].map { #"{"monitor":\#($0)}"# }
        let daemon = FakeDaemon(results: [
            MonitorMethods.listMonitors.name: .reply(#"{"monitors":[\#(denied)]}"#),
            MonitorMethods.open.name: .replies(replies),
        ])
        let outcome = try daemon.run(["fence", "watch", "home", "--duration", "0.5", "--json"])
        #expect(outcome.errors.contains("no events: location is switched off for all programs"))
        #expect(outcome.errors.contains("the fences are permitted again"))
        #expect(outcome.output.split(separator: "\n").count == 2)
    }
}

@Suite("Diagnosis of a program")
struct ProgramDiagnosisTests {
    private func diagnosis(
        _ authorization: String, accuracy: String = "full", by decidedBy: String = "user 0 with sextant grant, today",
        detail: String? = nil, flags: PermissionFlags = [], grants: String = "", rules: String = "", isOn: Bool = true,
        consumers: String? = nil
    ) throws -> ProgramDiagnosis {
        let detail = detail.map { #","detail":"\#($0)""# } ?? ""
        var reply: Permission = try Sample.read(
            #"{"program":"4242","authorization":"\#(authorization)","accuracy":"\#(accuracy)","#
                + #""decidedBy":"\#(decidedBy)"\#(detail)}"#
        )
        reply.permission = flags
        return ProgramDiagnosis(
            reply: reply,
            grants: try Sample.read(
                #"{"grants":[\#(grants)],"rules":[\#(rules)],"default":"always","accuracy":"full","#
                    + #""switch":{"enabled":\#(isOn)}}"#
            ),
            consumers: try consumers.map {
                try Sample.read(#"{"consumers":[],"activities":[],"allowsSleep":true,\#($0)}"#)
            })
    }

    @Test
    func `a program that gets the full location is healthy`() throws {
        let diagnosis = try diagnosis("always")
        #expect(diagnosis.checks.isHealthy && diagnosis.checks.map(\.state) == [.ok, .ok, .ok, .ok, .skipped])
        #expect(
            diagnosis.checks[2].finding
                == "it may know the location at any time, decided by user root with sextant grant, today")
    }

    @Test
    func `each cause has the command that changes it`() throws {
        let rule = "the rule in /etc/sextant/sextant.toml:12"
        let edit = "sudo ${EDITOR:-vi} +12 /etc/sextant/sextant.toml && sudo systemctl reload sextantd.service"
        let cases: [(ProgramDiagnosis, Check.Subject, String)] = [
            (
                try diagnosis("denied", detail: "no; grant", flags: .authorizationDenied), .authorization,
                "sudo sextant grant 4242"
            ),
            (
                try diagnosis("restricted", by: rule, detail: "no; edit", flags: .authorizationRestricted),
                .authorization,
                edit
            ),
            (
                try diagnosis(
                    "denied", by: "permissions.default in /etc/sextant/sextant.toml:2", detail: "no; grant",
                    flags: .authorizationDenied),
                .authorization, "sudo sextant grant 4242"
            ),
            (
                try diagnosis("notDetermined", detail: "asked; answer", flags: .authorizationRequestInProgress),
                .authorization, "sudo sextant grant 4242"
            ),
            (
                try diagnosis("whenInUse", detail: "not in use; grant", flags: .insufficientlyInUse), .authorization,
                "sudo sextant grant 4242 --always"
            ),
            (
                try diagnosis("whenInUse", by: rule, detail: "not in use; grant", flags: .insufficientlyInUse),
                .authorization, edit
            ),
            (
                try diagnosis(
                    "always", accuracy: "reduced", detail: "gets a reduced location; grant", flags: .accuracyLimited),
                .accuracy,
                "sudo sextant grant 4242"
            ),
            (
                try diagnosis(
                    "whenInUse", accuracy: "reduced", detail: "gets a reduced location; grant",
                    flags: .accuracyLimited),
                .accuracy, "sudo sextant grant 4242 --when-in-use"
            ),
            (
                try diagnosis(
                    "always", accuracy: "reduced", by: rule, detail: "gets a reduced location; edit",
                    flags: .accuracyLimited),
                .accuracy, edit
            ),
            (
                try diagnosis("denied", detail: "off; enable", flags: .authorizationDeniedGlobally, isOn: false),
                .enabled, "sudo sextant enable"
            ),
        ]
        for (diagnosis, subject, command) in cases {
            let wrong = diagnosis.checks.filter { $0.state == .wrong }
            #expect(wrong.map(\.check) == [subject] && wrong.first?.command == command, "\(diagnosis.checks)")
            #expect(wrong.first?.remedy != nil)
        }
    }

    @Test
    func `the lease, in_use and a session that does not count are named`() throws {
        let other = #""leases":[{"owner":"4243","since":"2026-11-28T07:00:00.000Z"}]"#
        let rule = #"{"uid":4242,"inUse":false,"place":"/etc/sextant/sextant.toml:12"}"#
        let none = try diagnosis("whenInUse", rules: rule, consumers: other)
        #expect(none.checks[4].finding == "it holds no lease; the configuration sets in_use = false")
        #expect(none.checks.isHealthy)
        let held = try diagnosis("whenInUse", consumers: other.replacing("4243", with: "4242"))
        #expect(held.checks[4].finding.hasPrefix("it holds a lease since ") && held.checks.isHealthy)
        let ending = try diagnosis(
            "whenInUse",
            consumers: #""leases":[{"owner":"4242","since":"2026-11-28T07:00:00.000Z","ending":true}]"#)
        #expect(ending.checks[4].finding.contains("ends within 60 s"))
        let session = #""sessions":[{"owner":"4242","requirement":"always","ineffective":true}]"#
        let ineffective = try diagnosis("whenInUse", consumers: session)
        #expect(ineffective.checks[4].state == .wrong && !ineffective.checks.isHealthy)
        #expect(ineffective.checks[4].finding.contains("began while it was not in use"))
    }

    @Test
    func `permissions that cannot be read are not called switched off`() throws {
        var diagnosis = try diagnosis("denied", flags: .authorizationDenied, isOn: false)
        var grants = diagnosis.grants
        grants.switch.problem = "opening sextant.db: database is locked; stop that process"
        diagnosis = ProgramDiagnosis(reply: diagnosis.reply, grants: grants)
        let wrong = diagnosis.checks.filter { $0.state == .wrong }
        #expect(wrong.map(\.check) == [.enabled] && wrong.first?.command == "sextant doctor")
        #expect(wrong.first?.finding.contains("database is locked") == true)
        let lines = GrantTable(reply: grants).lines.joined(separator: "\n")
        #expect(lines.contains("cannot be read") && !lines.contains("switched off"))
    }

    @Test
    func `a decision that a rule overrules is named`() throws {
        let grant =
            #"{"program":"4242","authorization":"always","accuracy":"full","author":"administrator","uid":0,"#
            + #""date":"2026-11-20T07:22:02.000Z","overruledBy":"/etc/sextant/sextant.toml:12"}"#
        let check = try diagnosis(
            "restricted", by: "the rule in /etc/sextant/sextant.toml:12", detail: "no; edit",
            flags: .authorizationRestricted, grants: grant
        ).checks[2]
        #expect(
            check.finding == """
                user 4242 may not know the location: the configuration denies it, decided by the rule in \
                /etc/sextant/sextant.toml:12; the decision "always" is overruled by the rule in \
                /etc/sextant/sextant.toml:12
                """)
    }

    @Test
    func `doctor program asks about a name, or about itself`() throws {
        let daemon = FakeDaemon(results: [
            PermissionMethods.explain.name: .reply(
                #"{"program":"4242","authorization":"always","accuracy":"full","decidedBy":"the default"}"#),
            PermissionMethods.list.name: .reply(
                #"{"grants":[],"rules":[],"default":"always","accuracy":"full","switch":{"enabled":true}}"#),
        ])
        let named = try daemon.run(["doctor", "program", "4242"])
        #expect(named.status == 0 && named.calls.first?.parameters == ["program": "4242"])
        #expect(named.output.contains("4242: all programs of user 4242 without a unit of their own"))
        #expect(try daemon.run(["doctor", "program", "--json"]).calls.first?.parameters == [:])
    }
}
