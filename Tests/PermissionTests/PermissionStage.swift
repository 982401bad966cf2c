import Chronology
import Permission

/// A table with programs, for tests: keeps the verdicts and effects.
final class PermissionStage {
    var table = PermissionTable()
    var effects: [PermissionEffect] = []
    var now = Instant.zero

    static let navigator = ProgramID(user: 998, unit: "navigator.service")
    static let map = ProgramID(user: 1000, userUnit: "app-org.example.Map@1.service")
    static let shell = ProgramID(user: 1000)
    static let date = UTCTime(milliseconds: 1_790_000_000_000)

    init(_ standard: PermissionPolicy.Default = .always, _ change: (inout PermissionPolicy) -> Void = { _ in }) {
        var policy = PermissionPolicy()
        policy.standard = standard
        change(&policy)
        table.apply(policy)
    }

    /// Returns a rule at line `line` of the test's configuration.
    static func rule(line: Int = 1, _ change: (inout PermissionRule) -> Void) -> PermissionRule {
        var rule = PermissionRule(place: RulePlace(file: "/etc/sextant/sextant.toml", line: line))
        change(&rule)
        return rule
    }

    static func decision(
        _ authorization: AuthorizationChoice, accuracy: AccuracyAuthorization = .full,
        by author: PermissionDecision.Author = .administrator(user: 0)
    ) -> PermissionDecision {
        PermissionDecision(authorization, accuracy: accuracy, by: author, at: date)
    }

    func beginRequest(of program: ProgramID) -> PermissionVerdict { table.beginRequest(of: program) }

    func declare(
        _ requirement: SessionRequirement, purpose: String?, for client: PermissionClientID, of program: ProgramID
    ) -> PermissionFlags {
        table.declare(requirement, purpose: purpose, for: client, of: program)
    }

    func keepActive(_ client: PermissionClientID, of program: ProgramID, date: UTCTime = date) -> Bool {
        table.keepActive(client, of: program, date: date)
    }

    func answer(
        _ number: Int, with decision: PermissionDecision, isTemporary: Bool
    ) -> ProgramID? {
        table.answer(number, with: decision, isTemporary: isTemporary)
    }

    @discardableResult func decide(_ decision: PermissionDecision?, about program: ProgramID) -> RulePlace? {
        table.decide(decision, about: program)
    }

    func drain() -> [PermissionEffect] {
        effects = []
        table.drainEffects(into: &effects)
        return effects
    }

    /// The changed verdicts since the last call.
    func changes() -> [PermissionVerdict] {
        drain().compactMap { if case .verdictChanged(_, let verdict) = $0 { verdict } else { nil } }
    }

    func wait(_ seconds: Double) {
        now = now + .seconds(seconds)
        table.tick(at: now)
    }
}

extension PermissionClientID: ExpressibleByIntegerLiteral {
    /// Creates an identifier from a literal.
    public init(integerLiteral value: Int) { self.init(value) }
}
