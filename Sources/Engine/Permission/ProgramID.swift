/// A program as the kernel attests it: a user and, if present, a systemd unit.
///
/// The unit has a name that is the same at each launch (``ProgramUnit``). A unit that identifies no
/// program, such as the scope of a login, does not count: the user alone is the program. The
/// executable would be more specific, but reading another user's needs CAP_SYS_PTRACE (proc(5)),
/// which the service lacks. A process may access its user's data anyway.
package struct ProgramID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The text form: `998:navigator.service`, `1000:user:navigator.service` for a unit of the
    /// user's own manager, or `1000`. A namespace follows after a slash: `1000/org.example.Boat`.
    package let description: String
    /// The user that the program runs as.
    package let user: UInt32

    /// The maximum length of a unit's name in bytes (systemd.unit(5)).
    private static let maxUnitLength = 255
    /// The maximum length of a stored text form in bytes.
    private static let maxStoredLength = 4200
    /// Marks a unit of the user's own manager in the text form.
    private static let userUnitPrefix = "user:"

    /// What ``init(_:)`` accepts, for error messages.
    package static let format =
        "a user ID without sign or leading zeros, alone or followed by \":\" and the name of a service unit, "
        + "such as 998:navigator.service or 1000:user:navigator.service; a namespace may follow after a slash"

    /// Creates the identity of a process.
    ///
    /// - Parameters:
    ///   - unit: The unit of the process in the system's manager.
    ///   - userUnit: The unit of the process in its user's own manager.
    package init(user: UInt32, unit: String? = nil, userUnit: String? = nil) {
        self.user = user
        if let name = userUnit.flatMap({ ProgramUnit.stableName(ofUserUnit: $0) }) {
            description = "\(user):\(ProgramID.userUnitPrefix)\(name)"
        } else if let name = unit.flatMap({ ProgramUnit.stableName(ofSystemUnit: $0) }) {
            description = "\(user):\(name)"
        } else {
            description = "\(user)"
        }
    }

    /// Parses the text form that ``init(user:unit:userUnit:)`` creates. Returns `nil` for any other
    /// spelling, so that each program has exactly one.
    package init?(_ text: String) {
        guard let program = ProgramID(stored: text) else { return nil }
        let user = String(program.user)
        guard text != user else {
            self = program
            return
        }
        let base = program.program
        guard program.namespace.map(ProgramID.isNamespace) ?? true else { return nil }
        if base.description != user {
            guard text.hasPrefix(user + ":"), let unit = base.unit, ProgramID.isUnitName(unit) else { return nil }
        }
        self = program
    }

    /// Parses a text form from the store, where earlier versions wrote other spellings. Returns
    /// `nil` if the text does not begin with a user.
    package init?(stored text: String) {
        guard text.utf8.count <= ProgramID.maxStoredLength,
            let user = UInt32(text.prefix { $0 != ":" && $0 != ProgramID.namespaceSeparator })
        else { return nil }
        description = text
        self.user = user
    }

    /// The name of the unit, of either manager; `nil` without a unit.
    package var unit: String? {
        guard let name = qualifiedUnit else { return nil }
        return isUserUnit ? String(name.dropFirst(ProgramID.userUnitPrefix.count)) : name
    }

    /// The unit as in the text form, with `user:` before a unit of the user's own manager. Only the
    /// system's manager can start a unit without this prefix.
    package var qualifiedUnit: String? {
        let base = program.description
        guard let colon = base.firstIndex(of: ":") else { return nil }
        return String(base[base.index(after: colon)...])
    }

    /// Whether the program can act for its user, who started it: it is no application, which may be
    /// confined, and no service of the system.
    package var actsForUser: Bool { application == nil && (unit == nil || isUserUnit) }

    /// The namespace; `nil` without one. Clients of one program separate their monitors by it. The
    /// kernel does not attest it, so it never decides what the program may know.
    package var namespace: String? {
        guard let slash = description.firstIndex(of: ProgramID.namespaceSeparator) else { return nil }
        return String(description[description.index(after: slash)...])
    }

    /// The program as the kernel attests it.
    package var program: ProgramID {
        guard let slash = description.firstIndex(of: ProgramID.namespaceSeparator) else { return self }
        return ProgramID(user: user, description: String(description[..<slash]))
    }

    /// Returns the program with a namespace; `nil` if the program has one already, or if the text
    /// is not 1 to 128 letters, digits, "-", "_" and ".".
    package func with(namespace: String) -> ProgramID? {
        guard self.namespace == nil, ProgramID.isNamespace(namespace) else { return nil }
        return ProgramID(user: user, description: "\(description)\(ProgramID.namespaceSeparator)\(namespace)")
    }

    private init(user: UInt32, description: String) {
        (self.user, self.description) = (user, description)
    }

    /// The maximum length of a namespace in bytes, as of a monitor's name.
    private static let maxNamespaceLength = 128
    /// No unit name contains it (systemd.unit(5)).
    private static let namespaceSeparator: Character = "/"
    private static let notInNamespace: [UInt8] = [UInt8(ascii: ":"), UInt8(ascii: "\\"), UInt8(ascii: "@")]

    private static func isNamespace(_ text: String) -> Bool {
        (1...maxNamespaceLength).contains(text.utf8.count)
            && text.utf8.allSatisfy { isAllowedInUnit($0) && !notInNamespace.contains($0) }
    }

    /// Whether the unit belongs to the user's own manager.
    package var isUserUnit: Bool { qualifiedUnit?.hasPrefix(ProgramID.userUnitPrefix) ?? false }

    /// The identifier of a desktop program, Flatpak or snap: `org.gnome.Maps` of
    /// `app-org.gnome.Maps.service`, `maps.viewer` of `snap.maps.viewer.service`. `nil` for any
    /// other program.
    package var application: String? {
        guard let unit, unit.hasSuffix(".service") else { return nil }
        let name = unit.dropLast(".service".count)
        if isUserUnit, name.hasPrefix("app-") { return String(name.dropFirst("app-".count)) }
        if name.hasPrefix("snap.") { return String(name.dropFirst("snap.".count)) }
        return nil
    }

    /// Returns whether a text is the name of a service unit.
    package static func isUnitName(_ unit: String) -> Bool {
        unit.utf8.count <= maxUnitLength && unit.hasSuffix(".service") && !unit.hasPrefix(".")
            && unit.utf8.allSatisfy(isAllowedInUnit)
    }

    /// Returns whether a byte can occur in the name of a unit (systemd.unit(5)).
    private static func isAllowedInUnit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "."), UInt8(ascii: "\\"), UInt8(ascii: "@"):
            true
        default: false
        }
    }

    package static func < (a: ProgramID, b: ProgramID) -> Bool { a.description < b.description }
}
