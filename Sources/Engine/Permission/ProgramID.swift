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

/// The systemd unit of a program under a name that is the same at each launch.
///
/// A desktop starts each program in a unit of its own and adds a random part to the name. Sources:
/// "Desktop Environment Integration" of systemd, `flatpak-run`, snapd's `snap run` and dbus-broker.
///
/// | unit of the user's manager | stable name |
/// |---|---|
/// | `app-ID@RANDOM.service`, `app-LAUNCHER-ID@RANDOM.service` | `app-ID.service` |
/// | `app-LAUNCHER-ID.service`, if `ID` has a dot as domain names do | `app-ID.service` |
/// | `app-ID-PID.scope`, `app-LAUNCHER-ID-PID.scope` (Flatpak too) | `app-ID.service` |
/// | `flatpak-ID-PID.scope` (Flatpak before 1.5) | `app-ID.service` |
/// | `dbus-:BUS-ID@NUMBER.service` (started through D-Bus) | `app-ID.service` |
/// | `snap.NAME.APP-UUID.scope`, `snap.NAME.APP.UUID.scope` | `snap.NAME.APP.service` |
/// | any other service | its own name |
/// | any other scope, such as a login or a terminal | none |
///
/// In `ID` a dash is written as `\x2d`, so dashes separate the parts. The launcher does not count:
/// a program started from a menu, at login or through D-Bus is the same program.
package enum ProgramUnit {
    /// The length of the text form of a UUID (RFC 9562).
    private static let uuidLength = 36

    /// Returns the stable name of a unit of the user's own manager; nil if the unit does not
    /// identify a program.
    static func stableName(ofUserUnit unit: String) -> String? {
        if let scope = dropSuffix(".scope", of: unit) { return stableName(ofScope: scope) }
        guard let service = dropSuffix(".service", of: unit) else { return nil }
        let at = service.firstIndex(of: "@")
        let parts = service[..<(at ?? service.endIndex)].split(separator: "-", omittingEmptySubsequences: false)
        let isFromBus = parts.first == "dbus" && parts.dropFirst().first?.hasPrefix(":") == true
        guard parts.first == "app" || isFromBus, let name = application(parts.dropFirst()) else { return unit }
        // Without a random part and a dot it may be written by hand, such as
        // app-my-tracker.service.
        return at != nil || name.contains(".") ? "app-\(name).service" : unit
    }

    /// Returns the stable name of a unit of the system's manager; nil if the unit does not identify
    /// a program.
    static func stableName(ofSystemUnit unit: String) -> String? {
        if let scope = dropSuffix(".scope", of: unit) { return snap(scope) }
        // user@1000.service runs all programs of a user.
        return unit.hasSuffix(".service") && !unit.hasPrefix("user@") ? unit : nil
    }

    private static func stableName(ofScope scope: Substring) -> String? {
        if let name = snap(scope) { return name }
        var parts = scope.split(separator: "-", omittingEmptySubsequences: false)[...]
        guard let prefix = parts.popFirst(), prefix == "app" || prefix == "flatpak" else { return nil }
        // The last part is random; without it the name is not that of a program.
        guard parts.popLast()?.isEmpty == false else { return nil }
        return application(parts).map { "app-\($0).service" }
    }

    /// Returns the identifier of a program after its launcher, which may be absent. Some launchers
    /// do not escape the identifier, so all parts after the launcher belong to it.
    private static func application(_ parts: ArraySlice<Substring>) -> Substring? {
        guard let first = parts.first, let last = parts.last, !parts.contains("") else { return nil }
        guard parts.count > 1 else { return first }
        return first.base[parts[parts.startIndex + 1].startIndex..<last.endIndex]
    }

    /// Returns the stable name of a snap's scope.
    private static func snap(_ scope: Substring) -> String? {
        guard scope.hasPrefix("snap."), scope.utf8.count > uuidLength + 1 else { return nil }
        let uuid = scope.suffix(uuidLength)
        let name = scope.dropLast(uuidLength)
        guard isUUID(uuid), let separator = name.last, separator == "-" || separator == "." else { return nil }
        // "snap", the name and the program.
        let program = name.dropLast()
        guard program.split(separator: ".", omittingEmptySubsequences: false).count >= 3 else { return nil }
        return "\(program).service"
    }

    private static func isUUID(_ text: Substring) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy(\.isHexDigit) }
    }

    private static func dropSuffix(_ suffix: String, of unit: String) -> Substring? {
        unit.hasSuffix(suffix) ? unit.dropLast(suffix.count) : nil
    }
}
