/// Whether a program may know the location. Raw values are the names on the wire; the cases are
/// those of Apple's `CLAuthorizationStatus`.
package enum Authorization: String, Sendable, CaseIterable {
    /// There is no decision yet, and an agent may still be asked.
    case notDetermined
    /// The configuration denies it. Neither the user nor an agent can change this.
    case restricted
    /// The user or the administrator denied it.
    case denied
    /// Allowed while the program is in use.
    case whenInUse
    /// Allowed at any time.
    case always
}

/// What a rule or a decision can allow. Raw values are the names in files and on the wire.
package enum AuthorizationChoice: String, Sendable, CaseIterable {
    /// The program gets no location.
    case denied
    /// The program gets the location while it is in use.
    case whenInUse
    /// The program gets the location at any time.
    case always
}

/// The accuracy of the location that a program may know. Raw values are the names in files and on
/// the wire.
package enum AccuracyAuthorization: String, Sendable, CaseIterable {
    /// As accurate as the receivers.
    case full
    /// An area of a few kilometres, without speed, course and altitude.
    case reduced
}

/// Why a program gets no location or a reduced one. The names are those of the flags of Apple's
/// `CLLocationUpdate` and `CLServiceSession.Diagnostic`.
package struct PermissionFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The program is denied by a rule, a decision or the switch.
    package static let authorizationDenied = PermissionFlags(rawValue: 1 << 0)
    /// Location is switched off for all programs.
    package static let authorizationDeniedGlobally = PermissionFlags(rawValue: 1 << 1)
    /// The configuration denies the program.
    package static let authorizationRestricted = PermissionFlags(rawValue: 1 << 2)
    /// An agent was asked and has not answered.
    package static let authorizationRequestInProgress = PermissionFlags(rawValue: 1 << 3)
    /// The program may know the location only while it is in use, and it is not.
    package static let insufficientlyInUse = PermissionFlags(rawValue: 1 << 4)
    /// The location is reduced.
    package static let accuracyLimited = PermissionFlags(rawValue: 1 << 5)
    /// The configuration requires a declared session, and the program has none.
    package static let serviceSessionRequired = PermissionFlags(rawValue: 1 << 6)
    /// A session requires `always`, and the program may know the location only while in use.
    package static let alwaysAuthorizationDenied = PermissionFlags(rawValue: 1 << 7)
    /// A session requires full accuracy for a purpose that no rule allows.
    package static let fullAccuracyDenied = PermissionFlags(rawValue: 1 << 8)

    /// The flags with which a program gets no location at all.
    package static let blocking: PermissionFlags = [
        .authorizationDenied, .authorizationDeniedGlobally, .authorizationRestricted, .authorizationRequestInProgress,
        .insufficientlyInUse, .serviceSessionRequired,
    ]
}
