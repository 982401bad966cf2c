import Permission
import Varlink

/// A message with the reasons why a program may not know the full location. A flag is true or
/// absent.
package protocol PermissionFlagsMessage {
    /// See ``PermissionFlags/authorizationDenied``.
    var authorizationDenied: Bool? { get set }
    /// See ``PermissionFlags/authorizationDeniedGlobally``.
    var authorizationDeniedGlobally: Bool? { get set }
    /// See ``PermissionFlags/authorizationRestricted``.
    var authorizationRestricted: Bool? { get set }
    /// See ``PermissionFlags/authorizationRequestInProgress``.
    var authorizationRequestInProgress: Bool? { get set }
    /// See ``PermissionFlags/insufficientlyInUse``.
    var insufficientlyInUse: Bool? { get set }
    /// See ``PermissionFlags/accuracyLimited``.
    var accuracyLimited: Bool? { get set }
    /// See ``PermissionFlags/serviceSessionRequired``.
    var serviceSessionRequired: Bool? { get set }
}

extension PermissionFlagsMessage {
    /// The flags as a set.
    package var permission: PermissionFlags {
        get {
            Self.members.reduce(into: []) { flags, member in
                if self[keyPath: member.path] == true { flags.insert(member.flag) }
            }
        }
        set { for member in Self.members { self[keyPath: member.path] = newValue.value(of: member.flag) } }
    }

    /// Appends the flags that are present.
    func writePermission(to object: inout ObjectWriter) {
        object.append(authorizationDenied, forKey: "authorizationDenied")
        object.append(authorizationDeniedGlobally, forKey: "authorizationDeniedGlobally")
        object.append(authorizationRestricted, forKey: "authorizationRestricted")
        object.append(authorizationRequestInProgress, forKey: "authorizationRequestInProgress")
        object.append(insufficientlyInUse, forKey: "insufficientlyInUse")
        object.append(accuracyLimited, forKey: "accuracyLimited")
        object.append(serviceSessionRequired, forKey: "serviceSessionRequired")
    }

    /// Reads the flags as ``writePermission(to:)`` writes them.
    mutating func readPermission(from object: inout ObjectReader) {
        authorizationDenied = object.bool(forKey: "authorizationDenied")
        authorizationDeniedGlobally = object.bool(forKey: "authorizationDeniedGlobally")
        authorizationRestricted = object.bool(forKey: "authorizationRestricted")
        authorizationRequestInProgress = object.bool(forKey: "authorizationRequestInProgress")
        insufficientlyInUse = object.bool(forKey: "insufficientlyInUse")
        accuracyLimited = object.bool(forKey: "accuracyLimited")
        serviceSessionRequired = object.bool(forKey: "serviceSessionRequired")
    }

    private static var members: [(path: WritableKeyPath<Self, Bool?>, flag: PermissionFlags)] {
        [
            (\.authorizationDenied, .authorizationDenied),
            (\.authorizationDeniedGlobally, .authorizationDeniedGlobally),
            (\.authorizationRestricted, .authorizationRestricted),
            (\.authorizationRequestInProgress, .authorizationRequestInProgress),
            (\.insufficientlyInUse, .insufficientlyInUse),
            (\.accuracyLimited, .accuracyLimited),
            (\.serviceSessionRequired, .serviceSessionRequired),
        ]
    }
}

extension PermissionFlags {
    /// Returns `true` for a flag that is set, else `nil`.
    func value(of flag: PermissionFlags) -> Bool? { contains(flag) ? true : nil }

    /// Appends the flags of ``PermissionFlagsMessage`` that are set.
    func write(to object: inout ObjectWriter) {
        object.append(value(of: .authorizationDenied), forKey: "authorizationDenied")
        object.append(value(of: .authorizationDeniedGlobally), forKey: "authorizationDeniedGlobally")
        object.append(value(of: .authorizationRestricted), forKey: "authorizationRestricted")
        object.append(value(of: .authorizationRequestInProgress), forKey: "authorizationRequestInProgress")
        object.append(value(of: .insufficientlyInUse), forKey: "insufficientlyInUse")
        object.append(value(of: .accuracyLimited), forKey: "accuracyLimited")
        object.append(value(of: .serviceSessionRequired), forKey: "serviceSessionRequired")
    }
}
