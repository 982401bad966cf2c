import Chronology

/// What a program may know now, and why.
package struct PermissionVerdict: Sendable, Equatable {
    /// What decided about a program.
    package enum Basis: Sendable, Equatable {
        /// The default of a service without a configuration.
        case builtIn
        /// The default in a file.
        case standard(RulePlace)
        /// A rule of a file.
        case rule(RulePlace)
        /// A decision at run time.
        case decision(PermissionDecision.Author, UTCTime)
        /// An answer that ends with the sessions of the program.
        case temporaryAnswer(user: UInt32)
        /// Nobody could be asked, so the policy decided.
        case withoutAgent
        /// Location is switched off for all programs.
        case locationSwitch(user: UInt32?)
        /// Switch and decisions cannot be read, for this reason, so no program gets the location.
        case unreadable(reason: String)
    }

    package var authorization: Authorization
    /// The accuracy that applies now, with the purposes of open sessions.
    package var accuracy: AccuracyAuthorization
    package var flags: PermissionFlags
    /// What decided the authorization; if only the accuracy is limited, what decided that.
    package var basis: Basis

    package init(
        _ authorization: Authorization, accuracy: AccuracyAuthorization = .full, flags: PermissionFlags = [],
        basis: Basis = .builtIn
    ) {
        self.authorization = authorization
        self.accuracy = accuracy
        self.flags = flags
        self.basis = basis
    }

    /// Whether the program gets a location, full or reduced.
    package var allowsLocation: Bool { flags.isDisjoint(with: .blocking) }
    /// Whether the program gets the full location, and its conditions are monitored.
    package var allowsFullLocation: Bool { allowsLocation && accuracy == .full }
}

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
                + "has no active login session, or in_use = false applies to it; "
                + "to allow it at any time: sudo sextant grant \(program) --always"
        }
        if flags.contains(.serviceSessionRequired) {
            return "the configuration requires a declared session, and the program \(program) has none; "
                + "call io.sextant.Session.Declare, or unset require_session"
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

/// A decision about a program at run time.
package struct PermissionDecision: Sendable, Equatable {
    /// Who decided.
    package enum Author: Sendable, Hashable {
        /// A user who may change permissions, with `sextant grant`.
        case administrator(user: UInt32)
        /// The agent of a user, after asking.
        case agent(user: UInt32)
    }

    package var authorization: AuthorizationChoice
    package var accuracy: AccuracyAuthorization
    package var author: Author
    /// When, by the host's clock.
    package var date: UTCTime
    /// Whether the answer of an agent is one to a request that required `always`.
    package var isAboutAlways = false

    package init(
        _ authorization: AuthorizationChoice, accuracy: AccuracyAuthorization = .full, by author: Author,
        at date: UTCTime
    ) {
        self.authorization = authorization
        self.accuracy = accuracy
        self.author = author
        self.date = date
    }
}

/// Whether location is switched on for the whole device, and who switched it.
package struct LocationSwitch: Sendable, Equatable {
    package var isOn: Bool
    /// The user who switched it last; `nil` if nobody did.
    package var user: UInt32?
    /// When, by the host's clock.
    package var date: UTCTime?
    /// Why switch and decisions cannot be read, and how to fix it; `nil` if they were read. No
    /// program then gets the location: one that is denied must not get it because the disk failed.
    package var failure: String?

    package init(isOn: Bool = true, user: UInt32? = nil, date: UTCTime? = nil, failure: String? = nil) {
        self.isOn = isOn
        self.user = user
        self.date = date
        self.failure = failure
    }
}
