import CLinux
import Glibc

/// A section of a configuration file, or one of several entries with its name. It has known keys
/// only; each is read as nil if it is absent.
package struct ConfigurationSection {
    /// The name, such as `gpsd`, or `fleet.NAME` for a section below another.
    package let name: String
    private let file: ConfigurationFile
    private let table: [String: TOMLValue]
    private let index: Int

    /// Creates a section whose keys are all among `keys`.
    ///
    /// - Parameter index: The index among sections of the same name.
    fileprivate init(
        _ table: [String: TOMLValue], _ name: String, of file: ConfigurationFile, keys: [String], index: Int = 0
    ) throws(ConfigurationError) {
        (self.name, self.table) = (name, table)
        (self.file, self.index) = (file, index)
        guard let unknown = table.keys.filter({ !keys.contains($0) }).min() else { return }
        let list = keys.dropLast().joined(separator: ", ")
        let known =
            keys.count == 1 ? "the only valid key is \(keys[0])" : "valid keys are \(list) and \(keys.last ?? "")"
        throw error(unknown, "unknown key; \(known)")
    }

    /// Returns an error about a key, or about the section.
    package func error(_ key: String?, _ reason: String) -> ConfigurationError {
        file.error(in: name, key: key, reason: reason, index: index)
    }

    package func has(_ key: String) -> Bool { table[key] != nil }

    /// The line of a key, or that of the section.
    package func line(of key: String?) -> Int? { file.line(of: name, key: key, index: index) }

    /// Returns the value of a key, parsed.
    ///
    /// - Parameter reason: The reason of the error, if the parser returns nil.
    package func value<Value>(
        _ key: String, _ reason: @autoclosure () -> String, _ parse: (TOMLValue) -> Value?
    ) throws(ConfigurationError) -> Value? {
        guard let value = table[key] else { return nil }
        guard let parsed = parse(value) else { throw error(key, reason()) }
        return parsed
    }

    /// Returns the entries `[[name.key]]`.
    package func entries(
        _ key: String, keys: [String]
    ) throws(ConfigurationError) -> [ConfigurationSection] {
        guard let value = table[key] else { return [] }
        return try file.entries(value, "\(name).\(key)", keys: keys)
    }

    package func flag(_ key: String) throws(ConfigurationError) -> Bool? {
        try value(key, "must be true or false") { $0.bool }
    }

    /// A text of 1 to `max` bytes without control characters.
    package func text(_ key: String, max: Int) throws(ConfigurationError) -> String? {
        try value(key, "must be a string of 1 to \(max) bytes without control characters") { value in
            value.string.flatMap { (1...max).contains($0.utf8.count) && ConfigurationFile.isPlain($0) ? $0 : nil }
        }
    }

    /// A string, or a list of strings.
    package func texts(_ key: String) throws(ConfigurationError) -> [String]? {
        try value(key, "must be a string or a list of strings", \.strings)
    }

    package func integer(
        _ key: String, _ range: ClosedRange<Int>, unit: String? = nil
    ) throws(ConfigurationError) -> Int? {
        let kind = unit.map { "a whole number of \($0)" } ?? "an integer"
        return try value(key, "must be \(kind) from \(range.lowerBound) to \(range.upperBound)") { value in
            guard let number = value.int, range.contains(number) else { return nil }
            return number
        }
    }

    /// A number with or without a point.
    ///
    /// - Parameter values: The unit and the range, for errors.
    package func number(
        _ key: String, _ range: ClosedRange<Double>, _ values: String
    ) throws(ConfigurationError) -> Double? {
        try value(key, "must be a number of \(values)") { value in
            value.number.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String
    ) throws(ConfigurationError) -> Choice? where Choice.RawValue == String {
        try choice(key, Choice.allCases.map { ($0.rawValue, $0) })
    }

    package func choice<Choice>(
        _ key: String, _ choices: [(name: String, value: Choice)]
    ) throws(ConfigurationError) -> Choice? {
        let known = choices.map { "\"\($0.name)\"" }.joined(separator: " ")
        return try value(key, "must be one of \(known)") { value in choices.first { $0.name == value.string }?.value }
    }

    package func path(_ key: String) throws(ConfigurationError) -> String? {
        try value(key, "must be an absolute path in quotes, without control characters") { value in
            value.string.flatMap { $0.hasPrefix("/") && ConfigurationFile.isPlain($0) ? $0 : nil }
        }
    }
}

// Values of networks and sentences.
extension ConfigurationSection {
    private static let addressReason =
        "must be a numeric address with a port, such as \"127.0.0.1:10110\" or \"[::1]:10110\""

    /// A numeric address with a port.
    func address(_ key: String) throws(ConfigurationError) -> String? {
        try value(key, ConfigurationSection.addressReason) { value in
            value.string.flatMap { ConfigurationSection.isAddress($0) ? $0 : nil }
        }
    }

    /// An address, or a list of addresses.
    func addresses(_ key: String) throws(ConfigurationError) -> [String]? {
        let texts = try texts(key)
        guard texts.map({ !$0.isEmpty && $0.allSatisfy(ConfigurationSection.isAddress) }) ?? true else {
            throw error(key, ConfigurationSection.addressReason)
        }
        return texts
    }

    /// A host, by name or address, with a port.
    func host(_ key: String) throws(ConfigurationError) -> String? {
        try value(key, "must be a host with a port, such as \"gps.example:10110\"") { value in
            value.string.flatMap { HostPort($0)?.isHost == true ? $0 : nil }
        }
    }

    func caster(_ key: String) throws(ConfigurationError) -> NTRIPAddress? {
        guard let value = table[key] else { return nil }
        do throws(NTRIPAddress.Invalid) { return try NTRIPAddress(value.string ?? "") } catch {
            throw self.error(key, error.reason)
        }
    }

    /// Types of sentences, such as `RMC` or `GNGGA`.
    func sentenceTypes(_ key: String) throws(ConfigurationError) -> [String]? {
        let types = try texts(key)?.map { $0.uppercased() }
        guard types.map({ !$0.isEmpty && $0.allSatisfy(SentenceType.isValid) }) ?? true else {
            throw error(key, "must be a list of types such as \"RMC\" or \"GNGGA\"")
        }
        return types
    }

    private static func isAddress(_ text: String) -> Bool {
        guard let parsed = HostPort(text) else { return false }
        let host = parsed.host == "localhost" ? "127.0.0.1" : parsed.host
        return Int32(linux_internet_address(host, parsed.port).ss_family) != AF_UNSPEC
    }
}

extension ConfigurationFile {
    /// Returns a section with these keys, which must exist.
    package func section(_ name: String, keys: [String]) throws(ConfigurationError) -> ConfigurationSection {
        guard let section = table[name]?.table else {
            throw error(in: name, key: nil, reason: "must be a section, written as [\(name)]")
        }
        return try ConfigurationSection(section, name, of: self, keys: keys)
    }

    /// Returns the sections `[role.NAME]` by their names, which are also those of units.
    package func sections(
        below role: String, keys: [String]
    ) throws(ConfigurationError) -> [(name: String, section: ConfigurationSection)] {
        guard let all = table[role]?.table else {
            throw error(in: role, key: nil, reason: "must be a section, written as [\(role)]")
        }
        var found: [(name: String, section: ConfigurationSection)] = []
        for name in all.keys.sorted() {
            guard let section = all[name]?.table else {
                throw error(in: role, key: name, reason: "must be a section with a name, such as [\(role).\(name)]")
            }
            guard ConfigurationFile.isName(name) else {
                throw error(
                    in: "\(role).\(name)", key: nil,
                    reason: "the name needs 1 to 64 letters, digits, dots, hyphens and underscores")
            }
            found.append((name, try ConfigurationSection(section, "\(role).\(name)", of: self, keys: keys)))
        }
        return found
    }

    /// Returns the entries `[[name]]`.
    package func entries(_ name: String, keys: [String]) throws(ConfigurationError) -> [ConfigurationSection] {
        try table[name].map { value throws(ConfigurationError) in try entries(value, name, keys: keys) } ?? []
    }

    fileprivate func entries(
        _ value: TOMLValue, _ name: String, keys: [String]
    ) throws(ConfigurationError) -> [ConfigurationSection] {
        let tables = value.array.map { $0.map(\.table) } ?? [nil]
        var entries: [ConfigurationSection] = []
        for (index, table) in tables.enumerated() {
            guard let table else { throw error(in: name, key: nil, reason: "must be written as [[\(name)]]") }
            entries.append(try ConfigurationSection(table, name, of: self, keys: keys, index: index))
        }
        return entries
    }

    /// Whether a text is a name of a section: it becomes part of the name of a unit.
    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
            }
    }
}

extension TOMLValue {
    /// The text, or those of an array; nil if there is anything else.
    package var strings: [String]? {
        if let string { return [string] }
        let texts = array?.compactMap(\.string)
        return texts?.count == array?.count ? texts : nil
    }
}

/// The type of a sentence as a user writes it: `RMC` for all talkers, or `GNRMC`.
package enum SentenceType {
    /// Whether a text is a type: three letters and digits, or up to eight with a talker.
    package static func isValid(_ text: String) -> Bool {
        (3...8).contains(text.utf8.count)
            && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
    }
}
