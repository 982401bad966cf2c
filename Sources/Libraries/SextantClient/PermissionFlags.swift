/// Why a program may not know the location, or only a reduced one. Empty if it may know all.
public struct PermissionFlags: OptionSet, Hashable, Sendable {
    /// The flags as bits.
    public let rawValue: Int
    /// Creates flags from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The program is denied.
    public static let authorizationDenied = Self(rawValue: 1 << 0)
    /// Location is switched off for all programs.
    public static let authorizationDeniedGlobally = Self(rawValue: 1 << 1)
    /// The configuration denies the program.
    public static let authorizationRestricted = Self(rawValue: 1 << 2)
    /// An agent was asked and has not answered.
    public static let authorizationRequestInProgress = Self(rawValue: 1 << 3)
    /// The program may know the location only while it is in use.
    public static let insufficientlyInUse = Self(rawValue: 1 << 4)
    /// The location is reduced: at most one update per 15 minutes.
    public static let accuracyLimited = Self(rawValue: 1 << 5)
    /// The configuration requires a session, see ``Client/session(_:purpose:)``.
    public static let serviceSessionRequired = Self(rawValue: 1 << 6)
    /// The session needs always, and the program may know the location only while it is in use.
    public static let alwaysAuthorizationDenied = Self(rawValue: 1 << 7)
    /// The purpose of the session gives no full accuracy.
    public static let fullAccuracyDenied = Self(rawValue: 1 << 8)
}

extension PermissionFlags: Decodable {
    /// The flags of streams and monitors by their names on the socket.
    private enum Name: String, CodingKey, CaseIterable {
        case authorizationDenied, authorizationDeniedGlobally, authorizationRestricted
        case authorizationRequestInProgress, insufficientlyInUse, accuracyLimited, serviceSessionRequired
        case alwaysAuthorizationDenied, fullAccuracyDenied

        var flag: PermissionFlags {
            switch self {
            case .authorizationDenied: .authorizationDenied
            case .authorizationDeniedGlobally: .authorizationDeniedGlobally
            case .authorizationRestricted: .authorizationRestricted
            case .authorizationRequestInProgress: .authorizationRequestInProgress
            case .insufficientlyInUse: .insufficientlyInUse
            case .accuracyLimited: .accuracyLimited
            case .serviceSessionRequired: .serviceSessionRequired
            case .alwaysAuthorizationDenied: .alwaysAuthorizationDenied
            case .fullAccuracyDenied: .fullAccuracyDenied
            }
        }
    }

    /// Decodes the flags of an object, which may have other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        self = []
        for name in Name.allCases where try members.decodeIfPresent(Bool.self, forKey: name) ?? false {
            insert(name.flag)
        }
    }
}

/// Whether a program may know the location.
public struct Authorization: OpenEnumeration {
    /// The value on the socket.
    public let rawValue: String
    /// Creates a value, which need not be one of ``allCases``.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no decision yet.
    public static let notDetermined = Self(rawValue: "notDetermined")
    /// The configuration denies it.
    public static let restricted = Self(rawValue: "restricted")
    /// It was denied, or location is switched off.
    public static let denied = Self(rawValue: "denied")
    /// At any time.
    public static let always = Self(rawValue: "always")
    /// While the program is in use.
    public static let whenInUse = Self(rawValue: "whenInUse")
    /// The values that this library knows.
    public static let allCases: [Self] = [notDetermined, restricted, denied, always, whenInUse]
}

/// The accuracy that a program gets.
public struct AccuracyAuthorization: OpenEnumeration {
    /// The value on the socket.
    public let rawValue: String
    /// Creates a value, which need not be one of ``allCases``.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The accuracy of the receivers.
    public static let full = Self(rawValue: "full")
    /// An area of a few kilometres, at most one location per 15 minutes.
    public static let reduced = Self(rawValue: "reduced")
    /// The values that this library knows.
    public static let allCases: [Self] = [full, reduced]
}

/// What a program may know.
public struct Permission: Hashable, Sendable {
    /// User ID and, for a service, a colon and the service name.
    public var program: String
    /// Whether the program may know the location.
    public var authorization: Authorization
    /// The accuracy that it gets.
    public var accuracy: AccuracyAuthorization
    /// What decided.
    public var decidedBy: String
    /// Why the program gets no location or a reduced one, and how to change that. Nil if it gets
    /// the full location.
    public var detail: String?
    /// The same as flags.
    public var flags: PermissionFlags
}

extension Permission: Decodable {
    private enum CodingKeys: String, CodingKey {
        case program, authorization, accuracy, decidedBy, detail
    }

    /// Decodes a permission of `io.sextant.Session`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        program = try members.decode(String.self, forKey: .program)
        authorization = try members.decode(Authorization.self, forKey: .authorization)
        accuracy = try members.decode(AccuracyAuthorization.self, forKey: .accuracy)
        decidedBy = try members.decode(String.self, forKey: .decidedBy)
        detail = try members.decodeIfPresent(String.self, forKey: .detail)
        flags = try PermissionFlags(from: decoder)
    }
}

/// The reply of `GetAuthorization` and `WatchAuthorization`.
struct PermissionReply: Decodable {
    var permission: Permission
}
