import Foundation
internal import Varlink

/// Why a program gets no location or a reduced one. The daemon sends a flag as true or omits it.
struct PermissionFlags: OptionSet, Sendable {
    let rawValue: UInt16

    static let authorizationDenied = PermissionFlags(rawValue: 1)
    static let authorizationDeniedGlobally = PermissionFlags(rawValue: 2)
    static let authorizationRestricted = PermissionFlags(rawValue: 4)
    static let authorizationRequestInProgress = PermissionFlags(rawValue: 8)
    static let insufficientlyInUse = PermissionFlags(rawValue: 16)
    static let accuracyLimited = PermissionFlags(rawValue: 32)
    static let serviceSessionRequired = PermissionFlags(rawValue: 64)
    static let fullAccuracyDenied = PermissionFlags(rawValue: 128)
    static let alwaysAuthorizationDenied = PermissionFlags(rawValue: 256)

    /// The flags that mean that there is no location at all.
    static let blocking: PermissionFlags = [
        .authorizationDenied, .authorizationDeniedGlobally, .authorizationRestricted, .authorizationRequestInProgress,
        .insufficientlyInUse, .serviceSessionRequired,
    ]

    private static let names: [(String, PermissionFlags)] = [
        ("authorizationDenied", .authorizationDenied), ("authorizationDeniedGlobally", .authorizationDeniedGlobally),
        ("authorizationRestricted", .authorizationRestricted),
        ("authorizationRequestInProgress", .authorizationRequestInProgress),
        ("insufficientlyInUse", .insufficientlyInUse), ("accuracyLimited", .accuracyLimited),
        ("serviceSessionRequired", .serviceSessionRequired), ("fullAccuracyDenied", .fullAccuracyDenied),
        ("alwaysAuthorizationDenied", .alwaysAuthorizationDenied),
    ]

    init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The flags among the members of a reply.
    init(_ members: [String: JSONValue]) {
        self = Self.names.reduce(into: []) { flags, entry in
            if members[entry.0]?.bool == true { flags.insert(entry.1) }
        }
    }
}
