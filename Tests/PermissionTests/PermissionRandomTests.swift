import Chronology
import Glibc
import Permission
import Testing

/// Random events in any order: no program gets more than the rules allow, none gets less, and no
/// client misses a change.
@Suite struct PermissionRandomTests {
    /// The number of events; `make permission-events` uses 10 million.
    private static let count = getenv("SEXTANT_EVENTS").flatMap { Int(String(cString: $0)) } ?? 30_000
    /// The seed of the random numbers; `SEXTANT_SEED` repeats the choices of an earlier run.
    private static let seed =
        getenv("SEXTANT_SEED").flatMap { UInt64(String(cString: $0)) } ?? UInt64.random(in: 0...UInt64(UInt32.max))

    @Test func `no order of events gives a program more than its rules allow`() throws {
        print("SEXTANT_SEED=\(PermissionRandomTests.seed)")
        var random = RandomPermissions(seed: PermissionRandomTests.seed)
        var allowed = 0
        for number in 0..<PermissionRandomTests.count {
            let event = random.apply()
            if let difference = random.difference() {
                Issue.record("event \(number), \(event): \(difference)")
                return
            }
            allowed += random.allowedCount
        }
        // Without both verdicts the test would show nothing.
        let checks = PermissionRandomTests.count * RandomPermissions.programs.count
        #expect(allowed > checks / 20 && allowed < checks * 19 / 20)
        print("\(PermissionRandomTests.count) events: \(allowed) of \(checks) verdicts allow a location")
    }
}

/// A table and a model with the same events.
private struct RandomPermissions {
    static let programs = [
        ProgramID(user: 1000), ProgramID(user: 1000, userUnit: "app-org.example.Map@1.service"),
        ProgramID(user: 998, unit: "navigator.service"), ProgramID(user: 0),
    ]
    private static let clients = 0..<6

    private var table = PermissionTable()
    private var model = PermissionModel()
    private var random: XorShift
    private var now = Instant.zero
    /// The verdict that a client of each program knows; `nil` while none is open.
    private var known: [ProgramID: PermissionVerdict] = [:]
    private var followers: [ProgramID: Int] = [:]
    /// The number of the last request about each program, which may be closed by now.
    private var asked: [ProgramID: Int] = [:]

    init(seed: UInt64) { random = XorShift(seed) }

    var allowedCount: Int { RandomPermissions.programs.count { table.verdict(of: $0).allowsLocation } }

    /// Applies a random event and returns its description.
    mutating func apply() -> String {
        let event = applyNext()
        var effects: [PermissionEffect] = []
        table.drainEffects(into: &effects)
        for effect in effects {
            switch effect {
            case .verdictChanged(let program, let verdict): if known[program] != nil { known[program] = verdict }
            case .ask(_, let request): asked[request.program] = request.number
            default: break
            }
        }
        return event
    }

    /// Returns how the table differs from the model and from what clients know; `nil` if it does
    /// not.
    func difference() -> String? {
        for program in RandomPermissions.programs {
            let verdict = table.verdict(of: program)
            let allowed = model.allows(program)
            if verdict.allowsLocation != allowed.location { return "\(program): location is \(allowed.location)" }
            if verdict.allowsFullLocation != allowed.full { return "\(program): full location is \(allowed.full)" }
            if let known = known[program], known != verdict { return "\(program): \(known) is known, not \(verdict)" }
        }
        return nil
    }

    private mutating func applyNext() -> String {
        let program = random.element(RandomPermissions.programs)
        let client = random.element(Array(RandomPermissions.clients))
        switch random.below(14) {
        case 0: return changePolicy()
        case 1: return decide(program)
        case 2: return useSwitch()
        case 3, 4: return begin(program)
        case 5: return end(program)
        case 6, 7: return declare(client, program)
        case 8: return endSession(client)
        case 9: return keepActive(client, program)
        case 10: return wait(client)
        case 11: return changeAgents(client, program)
        case 12: return answer(program)
        default: return changePresence()
        }
    }
}

// MARK: Events
extension RandomPermissions {
    private mutating func changePolicy() -> String {
        var policy = PermissionPolicy()
        policy.standard = random.element(PermissionPolicy.Default.allCases)
        policy.accuracy = random.element([.full, .full, .reduced])
        policy.withoutAgent = random.element([.denied, .always])
        policy.isInUseWithoutLogind = random.below(2) == 0
        policy.requiresSession = random.below(4) == 0
        for line in 0..<random.below(4) {
            var rule = PermissionRule(place: RulePlace(file: "f", line: line))
            if random.below(2) == 0 { rule.user = random.element([0, 998, 1000]) }
            if random.below(3) == 0 { rule.unit = random.element(["navigator.service", "other.service"]) }
            if random.below(4) == 0 { rule.application = "org.example.Map" }
            if random.below(2) == 0 { rule.authorization = random.element([.denied, .whenInUse, .always]) }
            if random.below(2) == 0 { rule.accuracy = random.element([.full, .reduced]) }
            if random.below(4) == 0 { rule.isInUse = random.below(2) == 0 }
            if random.below(4) == 0 { rule.defaultAccuracy = random.element([.full, .reduced]) }
            if random.below(8) == 0 { rule.requiresSession = random.below(2) == 0 }
            if random.below(3) == 0 { rule.purposes = ["rescue"] }
            policy.grants.append(rule)
        }
        model.policy = policy
        table.apply(policy)
        return "policy \(policy)"
    }

    private mutating func decision(by author: PermissionDecision.Author) -> PermissionDecision {
        PermissionDecision(
            random.element([.denied, .whenInUse, .always]), accuracy: random.element([.full, .reduced]), by: author,
            at: UTCTime(milliseconds: 0))
    }

    private mutating func decide(_ program: ProgramID) -> String {
        let decision = random.below(3) == 0 ? nil : decision(by: .administrator(user: 0))
        model.decide(decision, about: program)
        table.decide(decision, about: program)
        return "decision \(String(describing: decision)) about \(program)"
    }

    private mutating func useSwitch() -> String {
        model.isOn = random.below(4) > 0
        table.set(LocationSwitch(isOn: model.isOn, user: 0, date: nil))
        return "switch \(model.isOn)"
    }

    private mutating func begin(_ program: ProgramID) -> String {
        if random.below(2) == 0 {
            model.requests[program, default: 0] += 1
            known[program] = table.beginRequest(of: program)
            return "request of \(program)"
        }
        followers[program, default: 0] += 1
        known[program] = table.follow(program)
        return "follower of \(program)"
    }

    private mutating func end(_ program: ProgramID) -> String {
        if model.requests[program, default: 0] > 0 {
            model.endRequest(of: program)
            table.endRequest(of: program)
        } else if followers[program, default: 0] > 0 {
            followers[program, default: 0] -= 1
            table.unfollow(program)
        }
        if model.requests[program, default: 0] == 0, followers[program, default: 0] == 0 { known[program] = nil }
        return "end of a request of \(program)"
    }

    private mutating func declare(_ client: Int, _ program: ProgramID) -> String {
        guard model.sessions[client] == nil else { return "nothing" }
        let requirement = random.element(SessionRequirement.allCases)
        let purpose = random.element([nil, "rescue", "other"])
        let isImplicit = random.below(4) == 0
        model.declare(client, requirement, purpose: purpose, isImplicit: isImplicit, of: program)
        _ = table.declare(
            requirement, purpose: purpose, isImplicit: isImplicit, for: PermissionClientID(client), of: program)
        return "session \(client) of \(program): \(requirement), \(purpose ?? "no purpose")"
    }

    private mutating func endSession(_ client: Int) -> String {
        model.endSession(client, at: now)
        table.endSession(PermissionClientID(client), at: now)
        return "end of session \(client)"
    }

    private mutating func keepActive(_ client: Int, _ program: ProgramID) -> String {
        let lease = client + RandomPermissions.clients.count
        guard !model.leases.values.contains(where: { $0.holders.contains(lease) }) else { return "nothing" }
        let isHeld = model.keepActive(lease, of: program)
        let result = table.keepActive(PermissionClientID(lease), of: program, date: UTCTime(milliseconds: 0))
        if isHeld != result { Issue.record("a lease of \(program) is \(result)") }
        return "lease \(lease) of \(program)"
    }

    /// Time passes, and a lease may begin its grace period.
    private mutating func wait(_ client: Int) -> String {
        let lease = client + RandomPermissions.clients.count
        if random.below(2) == 0 {
            model.releaseLease(lease, at: now)
            table.releaseLease(PermissionClientID(lease), at: now)
        }
        if random.below(8) == 0 {
            let program = random.element(RandomPermissions.programs)
            model.endGrace(of: program)
            table.endGrace(of: program)
        }
        now = now + .seconds(Double(random.below(40)))
        model.tick(at: now)
        table.tick(at: now)
        return "\(now)"
    }

    private mutating func changeAgents(_ client: Int, _ program: ProgramID) -> String {
        let agent = client + 2 * RandomPermissions.clients.count
        if model.agents.removeValue(forKey: agent) != nil {
            table.removeAgent(PermissionClientID(agent))
            return "end of agent \(agent)"
        }
        let user = random.element([program.user, 1000])
        model.agents[agent] = user
        table.addAgent(PermissionClientID(agent), user: user)
        return "agent \(agent) of user \(user)"
    }

    /// Any user answers the last request about a program; it may be closed, or asked of others.
    private mutating func answer(_ program: ProgramID) -> String {
        guard let number = asked[program] else { return "nothing" }
        let user = random.element([0, 998, 1000, 1001] as [UInt32])
        let decision = decision(by: .agent(user: user))
        let isTemporary = random.below(2) == 0
        let mayAnswer = model.agents.values.contains(user) && (user == 0 || user == program.user)
        let result = table.answer(number, with: decision, isTemporary: isTemporary)
        if result != nil, !mayAnswer || result != program { Issue.record("user \(user) answered about \(program)") }
        if let result {
            model.answer(decision, isTemporary: isTemporary, about: result)
        }
        return "answer \(decision) about \(program)"
    }

    private mutating func changePresence() -> String {
        model.activeUsers = random.element([nil, [], [1000], [998, 1000]])
        table.setActiveUsers(model.activeUsers)
        return "users \(String(describing: model.activeUsers))"
    }
}

/// Marsaglia's xorshift64: the same events from the same seed, with little time for each.
private struct XorShift {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed | 1 }

    mutating func below(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }

    mutating func element<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
