import Glibc
import Permission
import Settings

extension PermissionPolicy {
    /// Applies the section `[permissions]` with its `[[permissions.grant]]` entries. Rules
    /// accumulate, and know their places in the file.
    mutating func apply(_ file: ConfigurationFile) throws(ConfigurationError) {
        let section = try file.section(
            "permissions",
            keys: [
                "default", "accuracy", "without_agent", "in_use_without_logind", "require_session", "administrators",
                "grant",
            ])
        standard = try section.choice("default") ?? standard
        if section.has("default") { standardPlace = RulePlace(file: file.path, line: section.line(of: "default")) }
        accuracy = try section.choice("accuracy") ?? accuracy
        withoutAgent = try section.choice("without_agent") ?? withoutAgent
        isInUseWithoutLogind = try section.flag("in_use_without_logind") ?? isInUseWithoutLogind
        requiresSession = try section.flag("require_session") ?? requiresSession
        let groups = try section.value(
            "administrators", "must be a list of names of groups that exist, such as [\"sudo\"]"
        ) { value -> Set<UInt32>? in
            let groups = value.array?.map { $0.string.flatMap { getgrnam($0) }?.pointee.gr_gid }
            return groups.flatMap { $0.contains(nil) ? nil : Set($0.compactMap(\.self)) }
        }
        administratorGroups = groups ?? administratorGroups
        let keys = [
            "user", "unit", "application", "authorization", "accuracy", "default_accuracy", "in_use",
            "require_session", "purposes", "max_configuration",
        ]
        for entry in try section.entries("grant", keys: keys) {
            grants.append(try PermissionRule(entry, at: RulePlace(file: file.path, line: entry.line(of: nil))))
        }
    }
}

extension PermissionRule {
    fileprivate init(_ entry: ConfigurationSection, at place: RulePlace) throws(ConfigurationError) {
        self.init(place: place)
        // Names are looked up once, when the file is read.
        user = try entry.value("user", "must be the name or number of a user that exists") { value in
            value.string.flatMap { UInt32($0) } ?? value.user
        }
        unit = try entry.text("unit", max: 255)
        guard unit.map({ ProgramID.isUnitName($0.hasPrefix("user:") ? String($0.dropFirst(5)) : $0) }) ?? true else {
            throw entry.error(
                "unit",
                "must be the name of a service such as \"navigator.service\"; "
                    + "for a service of a user's own manager: \"user:navigator.service\"")
        }
        application = try entry.text("application", max: 255)
        authorization = try entry.choice("authorization") ?? authorization
        accuracy = try entry.choice("accuracy") ?? accuracy
        defaultAccuracy = try entry.choice("default_accuracy")
        isInUse = try entry.flag("in_use")
        requiresSession = try entry.flag("require_session")
        purposes =
            try entry.value("purposes", "must be a list of strings, such as [\"navigation\"]") { value in
                guard value.array != nil, let names = value.strings else { return nil }
                return names.allSatisfy { !$0.isEmpty && ConfigurationFile.isPlain($0) } ? names : nil
            } ?? purposes
        maxConfiguration = try entry.choice("max_configuration") ?? maxConfiguration
        guard user != nil || unit != nil || application != nil else {
            throw entry.error(
                nil, "names no program; set user, unit or application, or permissions.default for all programs")
        }
    }
}
