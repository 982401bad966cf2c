import Glibc
import Locator
import Permission
import Settings

/// Reads the section `[permissions]` and its `[[permissions.grant]]` entries into a policy.
struct PermissionSection {
    private static let section = "permissions"
    private static let grantSection = "permissions.grant"

    private let file: ConfigurationFile

    /// - Parameter file: The file of the section, for the places of errors and rules.
    init(of file: ConfigurationFile) { self.file = file }

    /// Applies the values of the section to `policy`. Rules accumulate.
    func apply(_ section: [String: TOMLValue], to policy: inout PermissionPolicy) throws(ConfigurationError) {
        for key in section.keys.sorted() {
            let value = section[key]
            switch key {
            case "default":
                policy.standard = try choice(value, key: key)
                policy.standardPlace = place(of: PermissionSection.section, key: key)
            case "accuracy": policy.accuracy = try choice(value, key: key)
            case "without_agent": policy.withoutAgent = try choice(value, key: key)
            case "in_use_without_logind": policy.isInUseWithoutLogind = try flag(value, key: key)
            case "require_session": policy.requiresSession = try flag(value, key: key)
            case "administrators": policy.administratorGroups = try groups(value, key: key)
            case "grant": try applyGrants(value, to: &policy)
            default:
                throw file.error(
                    in: PermissionSection.section, key: key,
                    reason: "unknown key; valid keys are default, accuracy, without_agent, in_use_without_logind, "
                        + "require_session, administrators and grant")
            }
        }
    }

    private func applyGrants(
        _ value: TOMLValue?, to policy: inout PermissionPolicy
    ) throws(ConfigurationError) {
        guard let entries = value?.array else {
            throw file.error(
                in: PermissionSection.grantSection, key: nil, reason: "must be written as [[permissions.grant]]")
        }
        for index in 0..<entries.count {
            guard let entry = entries[index].table else {
                throw file.error(
                    in: PermissionSection.grantSection, key: nil, reason: "must be written as [[permissions.grant]]")
            }
            policy.grants.append(try rule(entry, nth: index))
        }
    }

    private func rule(_ entry: [String: TOMLValue], nth: Int) throws(ConfigurationError) -> PermissionRule {
        var rule = PermissionRule(place: place(of: PermissionSection.grantSection, key: nil, nth: nth))
        for key in entry.keys.sorted() {
            let value = entry[key]
            switch key {
            case "user": rule.user = try user(value, nth: nth)
            case "unit": rule.unit = try unit(value, nth: nth)
            case "application": rule.application = try text(value, key: key, nth: nth)
            case "authorization":
                rule.authorization = try choice(value, in: PermissionSection.grantSection, key: key, nth: nth)
            case "accuracy": rule.accuracy = try choice(value, in: PermissionSection.grantSection, key: key, nth: nth)
            case "in_use": rule.isInUse = try flag(value, in: PermissionSection.grantSection, key: key, nth: nth)
            case "purposes": rule.purposes = try purposes(value, nth: nth)
            case "max_configuration":
                rule.maxConfiguration = try choice(
                    value, in: PermissionSection.grantSection, key: key, nth: nth)
            default:
                throw file.error(
                    in: PermissionSection.grantSection, key: key,
                    reason: "unknown key; valid keys are user, unit, application, authorization, accuracy, in_use, "
                        + "purposes and max_configuration", index: nth)
            }
        }
        guard rule.user != nil || rule.unit != nil || rule.application != nil else {
            throw file.error(
                in: PermissionSection.grantSection, key: nil,
                reason: "names no program; set user, unit or application, or permissions.default for all programs",
                index: nth)
        }
        return rule
    }
}

// MARK: Values
extension PermissionSection {
    private func place(of section: String, key: String?, nth: Int = 0) -> RulePlace {
        RulePlace(file: file.path, line: file.line(of: section, key: key, index: nth))
    }

    private func choice<Choice: RawRepresentable & CaseIterable>(
        _ value: TOMLValue?, in section: String = PermissionSection.section, key: String, nth: Int = 0
    ) throws(ConfigurationError) -> Choice where Choice.RawValue == String {
        guard let choice = value?.string.flatMap(Choice.init(rawValue:)) else {
            let known = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " ")
            throw file.error(in: section, key: key, reason: "must be one of \(known)", index: nth)
        }
        return choice
    }

    private func flag(
        _ value: TOMLValue?, in section: String = PermissionSection.section, key: String, nth: Int = 0
    ) throws(ConfigurationError) -> Bool {
        guard let flag = value?.bool else {
            throw file.error(in: section, key: key, reason: "must be true or false", index: nth)
        }
        return flag
    }

    private func text(
        _ value: TOMLValue?, key: String, nth: Int
    ) throws(ConfigurationError) -> String {
        guard let text = value?.string, !text.isEmpty, text.utf8.count <= 255, ConfigurationFile.isPlain(text) else {
            throw file.error(
                in: PermissionSection.grantSection, key: key,
                reason: "must be a string of 1 to 255 bytes without control characters", index: nth)
        }
        return text
    }

    private func unit(_ value: TOMLValue?, nth: Int) throws(ConfigurationError) -> String {
        let name = try text(value, key: "unit", nth: nth)
        guard ProgramID.isUnitName(name.hasPrefix("user:") ? String(name.dropFirst(5)) : name) else {
            throw file.error(
                in: PermissionSection.grantSection, key: "unit",
                reason: "must be the name of a service such as \"navigator.service\"; "
                    + "for a service of a user's own manager: \"user:navigator.service\"", index: nth)
        }
        return name
    }

    private func purposes(_ value: TOMLValue?, nth: Int) throws(ConfigurationError) -> [String] {
        let names = value?.array.map { array in (0..<array.count).map { array[$0].string } } ?? [nil]
        guard names.allSatisfy({ $0.map { !$0.isEmpty && ConfigurationFile.isPlain($0) } ?? false }) else {
            throw file.error(
                in: PermissionSection.grantSection, key: "purposes",
                reason: "must be a list of strings, such as [\"navigation\"]",
                index: nth)
        }
        return names.compactMap { $0 }
    }

    /// A user by name or number. Names are looked up once, when the file is read.
    private func user(_ value: TOMLValue?, nth: Int) throws(ConfigurationError) -> UInt32 {
        if let number = value?.int.flatMap({ UInt32(exactly: $0) }) { return number }
        let name = value?.string ?? ""
        if let number = UInt32(name) { return number }
        guard !name.isEmpty, let entry = getpwnam(name) else {
            throw file.error(
                in: PermissionSection.grantSection, key: "user",
                reason: "must be the name or number of a user that exists",
                index: nth)
        }
        return entry.pointee.pw_uid
    }

    private func groups(_ value: TOMLValue?, key: String) throws(ConfigurationError) -> Set<UInt32> {
        let names = value?.array.map { array in (0..<array.count).map { array[$0].string } } ?? [nil]
        var groups: Set<UInt32> = []
        for name in names {
            guard let name, let entry = getgrnam(name) else {
                throw file.error(
                    in: PermissionSection.section, key: key,
                    reason: "must be a list of names of groups that exist, such as [\"sudo\"]")
            }
            groups.insert(entry.pointee.gr_gid)
        }
        return groups
    }
}
