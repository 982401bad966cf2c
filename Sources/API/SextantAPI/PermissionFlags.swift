import Varlink

/// Why a program gets no location or a reduced one. The names are those of the flags of Apple's
/// `CLLocationUpdate` and `CLServiceSession.Diagnostic`.
public struct PermissionFlags: OptionSet, Sendable, Hashable {
    /// One bit per flag.
    public let rawValue: UInt16
    /// Creates flags from their bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The program is denied by a rule, a decision or the switch.
    public static let authorizationDenied = PermissionFlags(rawValue: 1 << 0)
    /// Location is switched off for all programs.
    public static let authorizationDeniedGlobally = PermissionFlags(rawValue: 1 << 1)
    /// The configuration denies the program.
    public static let authorizationRestricted = PermissionFlags(rawValue: 1 << 2)
    /// An agent was asked and has not answered.
    public static let authorizationRequestInProgress = PermissionFlags(rawValue: 1 << 3)
    /// The program may know the location only while it is in use, and it is not.
    public static let insufficientlyInUse = PermissionFlags(rawValue: 1 << 4)
    /// The location is reduced.
    public static let accuracyLimited = PermissionFlags(rawValue: 1 << 5)
    /// The configuration requires a declared session, and the program has none.
    public static let serviceSessionRequired = PermissionFlags(rawValue: 1 << 6)
    /// A session requires `always`, and the program may know the location only while in use.
    public static let alwaysAuthorizationDenied = PermissionFlags(rawValue: 1 << 7)
    /// A session requires full accuracy for a purpose that no rule allows.
    public static let fullAccuracyDenied = PermissionFlags(rawValue: 1 << 8)

    /// The flags with which a program gets no location at all.
    public static let blocking: PermissionFlags = [
        .authorizationDenied, .authorizationDeniedGlobally, .authorizationRestricted, .authorizationRequestInProgress,
        .insufficientlyInUse, .serviceSessionRequired,
    ]
}

// In messages each flag is a member, which is true or absent.
extension PermissionFlags {
    mutating func read(_ flag: PermissionFlags, _ name: StaticString, from members: inout MemberReader) {
        if members.boolIfPresent(name) == true { insert(flag) }
    }

    func write(_ flag: PermissionFlags, _ name: StaticString, to object: inout ObjectWriter) {
        if contains(flag) { object.append(true, forKey: name) }
    }

    /// Appends the flags of updates that are set.
    package func writeReasons(to object: inout ObjectWriter) {
        guard !isEmpty else { return }
        write(.authorizationDenied, "authorizationDenied", to: &object)
        write(.authorizationDeniedGlobally, "authorizationDeniedGlobally", to: &object)
        write(.authorizationRestricted, "authorizationRestricted", to: &object)
        write(.authorizationRequestInProgress, "authorizationRequestInProgress", to: &object)
        write(.insufficientlyInUse, "insufficientlyInUse", to: &object)
        write(.accuracyLimited, "accuracyLimited", to: &object)
        write(.serviceSessionRequired, "serviceSessionRequired", to: &object)
    }
}

extension Location {
    package var isReduced: Bool { accuracySource == .reduced }
}
