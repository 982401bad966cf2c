/// A verdict as text: what decided, why a program gets no location or a reduced one, and what to
/// do.
extension PermissionVerdict {
    /// What decided, as part of a sentence: "the rule in /etc/sextant/sextant.toml:12".
    package var decidedBy: String {
        switch basis {
        case .builtIn: "the default of the service, because no file sets permissions.default"
        case .standard(let place): "permissions.default in \(place)"
        case .rule(let place): "the rule in \(place)"
        case .decision(.administrator(let user), let date): "user \(user) with sextant grant, \(date)"
        case .decision(.agent(let user), let date): "user \(user), asked by an agent, \(date)"
        case .temporaryAnswer(let user): "user \(user), asked by an agent, until the program ends its sessions"
        case .withoutAgent: "permissions.without_agent, because there is no agent to ask the user"
        case .locationSwitch(let user):
            user.map { "user \($0) with sextant disable" } ?? "sextantd, because a damaged database lost the decisions"
        case .unreadable: "sextantd, because it cannot read the permissions"
        }
    }

    /// Returns why the program gets no location or a reduced one, and what to do; `nil` if it gets
    /// the full location.
    package func detail(for program: ProgramID) -> String? {
        if case .unreadable(let reason) = basis {
            return "no program gets the location, because the permissions cannot be read: \(reason)"
        }
        if flags.contains(.authorizationDeniedGlobally) {
            return "location is switched off for all programs; to switch it on: sudo sextant enable"
        }
        if flags.contains(.authorizationRestricted) {
            return "the configuration denies the program \(program) the location; "
                + "change \(decidedBy), then: sudo systemctl reload sextantd"
        }
        if flags.contains(.authorizationDenied) {
            return "the program \(program) may not know the location, decided by \(decidedBy); "
                + "to allow it: sudo sextant grant \(program)"
        }
        if flags.contains(.authorizationRequestInProgress) {
            return "the user was asked whether the program \(program) may know the location; answer the request"
        }
        if flags.contains(.insufficientlyInUse) {
            return "the program \(program) may know the location only while it is in use, and user \(program.user) "
                + "has no active login session; to allow it at any time: sudo sextant grant \(program) --always"
        }
        if flags.contains(.serviceSessionRequired) {
            return "the configuration requires a declared session, and the program \(program) has none; "
                + "call io.sextant.Session.Declare, or unset permissions.require_session"
        }
        if flags.contains(.accuracyLimited) {
            let remedy: String
            if case .rule = basis {
                remedy = "to allow the full one, change that rule, then: sudo systemctl reload sextantd"
            } else {
                let option = authorization == .whenInUse ? " --when-in-use" : ""
                remedy = "to allow the full one: sudo sextant grant \(program)\(option)"
            }
            return "the program \(program) gets a reduced location, decided by \(decidedBy); \(remedy)"
        }
        return nil
    }
}
