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
