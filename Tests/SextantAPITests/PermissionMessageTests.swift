import Chronology
import Locator
import Permission
import Positioning
import SextantAPI
import SextantServiceAPI
import TestSupport
import Testing
import Varlink

@Suite("Messages about permission against their interfaces")
struct PermissionMessageTests {
    private let program = ProgramID(user: 1000, userUnit: "app-org.example.Map@1.service")
    private let date = UTCTime(milliseconds: 1_790_000_000_000)
    private let place = RulePlace(file: "/etc/sextant/sextant.toml", line: 12)

    @Test func `Permission and Diagnostics match`() throws {
        let interface = try Described.session()
        let denied = PermissionVerdict(
            .restricted, flags: [.authorizationDenied, .authorizationRestricted], basis: .rule(place))
        var full = Permission(denied, of: program)
        #expect(full.permission == denied.flags)
        full.permission = Samples.everyFlag
        try expectAllFields(of: interface, type: "Permission", in: full)
        let allowed = Permission(PermissionVerdict(.always), of: program)
        try expectValid(allowed, in: interface, type: "Permission")
        #expect(allowed.detail == nil)
        try expectAllFields(
            of: interface, type: "Diagnostics", in: SessionDiagnostics(permission: Samples.everyDiagnostic))
        try expectValid(SessionDiagnostics(), in: interface, type: "Diagnostics")
    }

    @Test func `the replies of Session match`() throws {
        let validator = Validator(try Described.session())
        try validator.checkOutput(members(DeclareReply([.insufficientlyInUse])), of: "Declare")
        try validator.checkOutput(members(KeepActiveReply(held: true)), of: "KeepActive")
        let reply = AuthorizationReply(permission: Permission(PermissionVerdict(.always), of: program))
        try validator.checkOutput(members(reply), of: "GetAuthorization")
        try validator.checkOutput(members(reply), of: "WatchAuthorization")
        try validator.checkParameters(SessionError.notInUse(detail: "why").reply.parameters, ofError: "NotInUse")
    }

    @Test func `every interface with PermissionDenied declares it alike`() throws {
        let error = PermissionDeniedError(
            PermissionVerdict(.denied, flags: .authorizationDenied, basis: .standard(place)), of: program)
        for interface in [Interface.location, .monitor, .manager] {
            let description = try InterfaceDescription(parsing: interface.text)
            try Validator(description).checkParameters(members(error), ofError: "PermissionDenied")
            #expect(error.reply(in: interface).name == "\(interface.rawValue).PermissionDenied")
        }
        #expect(error.detail.contains("sudo sextant grant \(program)"))
    }

    @Test func `Grant, Rule, Switch and the replies of Permission match`() throws {
        let interface = try Described.permission()
        let validator = Validator(interface)
        let decision = PermissionDecision(.whenInUse, accuracy: .reduced, by: .agent(user: 1000), at: date)
        let grant = Grant(
            decision, about: program, overruledBy: place, usageDescription: "Shows your road.")
        try expectAllFields(of: interface, type: "Grant", in: grant)
        var rule = PermissionRule(place: place)
        rule.user = 1000
        rule.unit = "navigator.service"
        rule.application = "org.example.Map"
        rule.authorization = .denied
        rule.accuracy = .full
        (rule.defaultAccuracy, rule.isInUse) = (.reduced, false)
        rule.requiresSession = true
        rule.maxConfiguration = .fitness
        try expectAllFields(of: interface, type: "Rule", in: Rule(rule))
        try expectValid(Rule(PermissionRule(place: place)), in: interface, type: "Rule")
        let state = LocationSwitch(isOn: false, user: 0, date: date, failure: "locked")
        try expectAllFields(of: interface, type: "Switch", in: SwitchState(state))
        try expectValid(SwitchState(LocationSwitch()), in: interface, type: "Switch")
        for standard in PermissionPolicy.Default.allCases {
            var policy = PermissionPolicy()
            policy.standard = standard
            policy.grants = [rule]
            let reply = ListGrantsReply(policy, grants: [grant], locationSwitch: state)
            try validator.checkOutput(members(reply), of: "List")
        }
        try validator.checkOutput(members(SetReply()), of: "Set")
        try validator.checkOutput(members(RemoveGrantReply(removed: true)), of: "Remove")
        for authorization in Authorization.allCases {
            let reply = Permission(PermissionVerdict(authorization), of: program)
            try validator.checkOutput(members(reply), of: "Explain")
        }
    }

    @Test func `Use and the replies about the record of use match`() throws {
        let interface = try Described.permission()
        let app = ProgramID(user: 1000, userUnit: "app-org.example.Map@1.service")
        for kind in UseKind.allCases {
            for state in UseRecord.State.allCases {
                let use = LocationUse(app, kind, .reduced, decidedBy: "the rule in \(place)")
                let record = UseRecord(number: 3, use, from: date, duration: .seconds(60), updates: 7, state: state)
                try expectValid(Use(record), in: interface, type: "Use")
            }
        }
        let use = LocationUse(app, .stream, .full, decidedBy: "user 0")
        let ended = UseRecord(number: 3, use, from: date, duration: .seconds(60), updates: 7, state: .ended)
        try expectAllFields(of: interface, type: "Use", in: Use(ended))
        #expect(Use(ended).to == date.advanced(by: .seconds(60)))
        let undated = UseRecord(number: 3, use, from: nil, duration: .zero, updates: 0, state: .ended)
        try expectValid(Use(undated), in: interface, type: "Use")
        let validator = Validator(interface)
        let page = GetUsageReply(records: [Use(undated)], next: "3")
        try validator.checkOutput(members(page), of: "GetUsage")
        try validator.checkOutput(members(ForgetReply(uses: 1, positions: 2, visits: 0)), of: "Forget")
    }

    @Test func `the errors of Permission and Agent match`() throws {
        let permission = Validator(try Described.permission())
        for error: PermissionError in [
            .notAllowed(detail: "why"), .invalidProgram(program: "x", reason: "why"),
            .persistenceUnavailable(reason: "why"),
        ] {
            let member = String(error.reply.name.dropFirst("io.sextant.Permission.".count))
            try permission.checkParameters(error.reply.parameters, ofError: member)
        }
        let agent = Validator(try Described.agent())
        for error: AgentError in [.notAllowed(detail: "why"), .noSuchRequest(number: 3)] {
            let member = String(error.reply.name.dropFirst("io.sextant.Agent.".count))
            try agent.checkParameters(error.reply.parameters, ofError: member)
        }
    }

    @Test func `Request and the replies of Agent match`() throws {
        var table = PermissionTable()
        var policy = PermissionPolicy()
        policy.standard = .ask
        table.apply(policy)
        table.addAgent(PermissionClientID(1), user: 1000)
        _ = table.declare(
            .whenInUse, purpose: "navigation", usageDescription: "Shows your road.", for: PermissionClientID(2),
            of: program)
        let request = AgentRequest(try #require(table.request(1, askedOf: 1000)))
        try expectAllFields(of: try Described.agent(), type: "Request", in: request)
        let validator = Validator(try Described.agent())
        for reply in [ServeReply(), ServeReply(request: request), ServeReply(withdrawn: 1)] {
            try validator.checkOutput(members(reply), of: "Serve")
        }
    }
}
