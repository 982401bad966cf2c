import Permission
import SextantAPI

/// What a program may know, and what prevents more.
struct ProgramDiagnosis {
    let reply: Permission
    /// The decisions and the switch, as far as the caller may see them.
    let grants: ListGrantsReply
    /// The sessions and leases; nil if the caller may not see them.
    var consumers: Consumers?

    /// Without a problem the program gets the full location, and its sessions count.
    var checks: [Check] { [program, enabled, authorization, accuracy, use] }

    private var isEnabled: Bool { grants.switch.enabled }

    private var advice: PermissionAdvice { PermissionAdvice(reply, isEnabled: isEnabled) }

    private var program: Check {
        .ok(.program, finding: "\(reply.program): \(PermissionText.program(reply.program))")
    }

    private var enabled: Check {
        if let problem = grants.switch.problem {
            return .wrong(
                .enabled, finding: "the permissions cannot be read, so no program gets the location: \(problem)",
                remedy: "find what the daemon's state needs", command: "sextant doctor")
        }
        guard !isEnabled else { return .ok(.enabled, finding: "location is switched on") }
        let user = grants.switch.uid.map { " by \(ProgramFormatter.subject($0))" } ?? ""
        let date = grants.switch.date.map { ", \(TimeText.moment($0))" } ?? ""
        return .wrong(
            .enabled, finding: "location is switched off for all programs\(user)\(date)", remedy: "switch it on",
            command: "sudo sextant enable")
    }

    /// A reduced location is a matter of the accuracy, unless something else prevents the location.
    private var isOnlyReduced: Bool { reply.permission == .accuracyLimited }

    private var authorization: Check {
        guard isEnabled else {
            let reason = grants.switch.problem == nil ? "location is switched off" : "the permissions cannot be read"
            return .skipped(.authorization, reason: reason)
        }
        let allowed = PermissionText.allowed(reply.authorization, accuracy: .full)
        guard !reply.permission.isEmpty, !isOnlyReduced else {
            return .ok(.authorization, finding: "it \(allowed), decided by \(advice.decider)\(overruled)")
        }
        var check = advice.check
        check.finding += overruled
        return check
    }

    /// The decision that a rule overrules, as the end of a sentence.
    private var overruled: String {
        guard let grant = grants.grants.first(where: { $0.program == reply.program }), let place = grant.overruledBy
        else { return "" }
        return "; the decision \"\(PermissionText.choice(grant.authorization))\" is overruled by the rule in \(place)"
    }

    private var accuracy: Check {
        guard isEnabled, reply.permission.isEmpty || isOnlyReduced else {
            return .skipped(.accuracy, reason: "it gets no location")
        }
        guard isOnlyReduced else { return .ok(.accuracy, finding: "the full location") }
        var check = advice.check
        check.check = .accuracy
        return check
    }

    /// The lease, what the configuration says about use, and a session that does not count.
    private var use: Check {
        guard let consumers else {
            return .skipped(.use, reason: "this user may not see the sessions and leases of programs")
        }
        let lease = consumers.leases?.first { $0.owner == reply.program }
        var finding = "it holds no lease"
        if let lease {
            finding =
                lease.ending == true
                ? "its lease ends within 60 s, because its connection has ended"
                : "it holds a lease since \(TimeText.moment(lease.since))"
        }
        if let isInUse { finding += "; the configuration sets in_use = \(isInUse)" }
        guard consumers.sessions?.contains(where: { $0.owner == reply.program && $0.ineffective == true }) == true
        else { return .ok(.use, finding: finding) }
        return .wrong(
            .use, finding: "\(finding); a session that requires always began while it was not in use",
            remedy: "begin the session again while the program is in use", command: "sextant who")
    }

    /// The key `in_use` of the rules for the program.
    private var isInUse: Bool? {
        var policy = PermissionPolicy()
        policy.grants = grants.rules.map { message in
            var rule = PermissionRule(place: RulePlace(file: message.place, line: nil))
            rule.user = message.uid.map { UInt32(clamping: $0) }
            (rule.unit, rule.application) = (message.unit, message.application)
            rule.isInUse = message.inUse
            return rule
        }
        return ProgramID(stored: reply.program).flatMap { policy.rule(for: $0)?.isInUse }
    }
}
