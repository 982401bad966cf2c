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
