import Chronology
import Logging
import Systemd
import TOMLKit

/// A TOML file that is read into ``Settings``. Every key is checked; an unknown key is an error.
struct SettingsFile {
    let path: String
    private let lines: [Substring]
    private let table: TOMLTable

    /// Parses the text of a file.
    ///
    /// - Throws: ``ConfigurationError`` with line and column if the text is not valid TOML.
    init(path: String, text: String) throws(ConfigurationError) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if let index = lines.firstIndex(where: { $0.utf8.contains(0) }) {
            // The parser would stop at the NUL byte and ignore the rest.
            throw ConfigurationError(
                file: path, line: index + 1, key: nil, reason: "contains a NUL byte, which TOML does not allow")
        }
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            throw ConfigurationError(
                file: path, line: error.source.begin.line, key: nil,
                reason: SettingsFile.replacingControlCharacters(in: error.description))
        } catch {
            throw ConfigurationError(file: path, line: nil, key: nil, reason: "\(error)")
        }
    }

    /// Applies the values of this file to `settings`. `[[receiver]]` entries accumulate.
    func apply(to settings: inout Settings) throws(ConfigurationError) {
        for key in table.keys.sorted() {
            switch key {
            case "service": try applyService(section(key), to: &settings)
            case "receivers": try applyReceivers(section(key), to: &settings)
            case "receiver": try applyPorts(&settings)
            case "monitors": try applyMonitors(section(key), to: &settings)
            case "visits": try applyVisits(section(key), to: &settings)
            case "permissions": try PermissionSection(of: self).apply(section(key), to: &settings.permissions)
            default:
                throw error(
                    in: key, key: nil,
                    reason: "unknown section; valid sections are service, receivers, receiver, monitors, visits and "
                        + "permissions"
                )
            }
        }
        settings.files.append(path)
    }

    private func applyService(_ section: TOMLTable, to settings: inout Settings) throws(ConfigurationError) {
        for key in section.keys.sorted() {
            let value = section[key]
            switch key {
            case "socket": settings.socket = try socketPath(value, key: key)
            case "state": settings.state = try absolutePath(value, in: "service", key: key)
            case "log_level": settings.logLevel = try level(value, key: key)
            case "max_connections_per_program":
                settings.maxConnectionsPerProgram = try count(value, in: "service", key: key, range: 1...4096)
            case "max_connections_per_user":
                settings.maxConnectionsPerUser = try count(value, in: "service", key: key, range: 1...4096)
            case "max_connections":
                settings.maxConnections = try count(value, in: "service", key: key, range: 1...65_536)
            case "max_updates_per_second":
                settings.maxUpdatesPerSecond = try count(value, in: "service", key: key, range: 20...10_000)
            default:
                throw error(
                    in: "service", key: key,
                    reason:
                        "unknown key; valid keys are socket, state, log_level, max_connections_per_program, "
                        + "max_connections_per_user, max_connections and max_updates_per_second"
                )
            }
        }
    }

    private func applyReceivers(_ section: TOMLTable, to settings: inout Settings) throws(ConfigurationError) {
        for key in section.keys.sorted() {
            switch key {
            case "discover":
                guard let value = section[key]?.bool else {
                    throw error(in: "receivers", key: key, reason: "must be true or false")
                }
                settings.discover = value
            case "power":
                guard let power = section[key]?.string.flatMap(Settings.Power.init(rawValue:)) else {
                    throw error(in: "receivers", key: key, reason: "must be \"auto\" or \"off\"")
                }
                settings.power = power
            case "keep_warm": settings.keepWarm = try keepWarm(section[key], in: "receivers")
            case "feed_users": settings.feedUsers = try users(section[key], in: "receivers", key: key)
            default:
                throw error(
                    in: "receivers", key: key,
                    reason: "unknown key; valid keys are discover, power, keep_warm and feed_users")
            }
        }
    }

    private func applyMonitors(_ section: TOMLTable, to settings: inout Settings) throws(ConfigurationError) {
        for key in section.keys.sorted() {
            switch key {
            case "max_conditions_per_program":
                settings.maxConditionsPerProgram = try count(
                    section[key], in: "monitors", key: key, range: 0...1_000_000)
            case "max_conditions":
                settings.maxConditions = try count(section[key], in: "monitors", key: key, range: 0...1_000_000)
            default:
                throw error(
                    in: "monitors", key: key,
                    reason: "unknown key; valid keys are max_conditions_per_program and max_conditions")
            }
        }
    }

    private func applyVisits(_ section: TOMLTable, to settings: inout Settings) throws(ConfigurationError) {
        for key in section.keys.sorted() {
            guard key == "keep" else {
                throw error(in: "visits", key: key, reason: "unknown key; the only valid key is keep")
            }
            guard let span = section[key]?.string.flatMap(DurationText.parse),
                (.zero...(.seconds(3650 * 86_400))).contains(span)
            else {
                throw error(
                    in: "visits", key: key,
                    reason: "must be a duration from \"0 d\" to \"3650 d\", such as \"90 d\"; \"0 d\" keeps none")
            }
            settings.visitLifetime = span
        }
    }

    private func applyPorts(_ settings: inout Settings) throws(ConfigurationError) {
        guard let entries = table["receiver"]?.array else {
            throw error(in: "receiver", key: nil, reason: "must be written as [[receiver]]")
        }
        for index in 0..<entries.count {
            guard let entry = entries[index].table else {
                throw error(in: "receiver", key: nil, reason: "must be written as [[receiver]]")
            }
            let port = try port(entry, nth: index)
            // Two readers of one port would each get only parts of the sentences.
            if settings.ports.contains(where: { $0.device == port.device }) {
                throw error(in: "receiver", key: "device", reason: "\(port.device) is listed twice", index: index)
            }
            if let name = port.name, settings.ports.contains(where: { $0.name == name }) {
                throw error(
                    in: "receiver", key: "name", reason: "the name \(name) is already used by another receiver",
                    index: index)
            }
            settings.ports.append(port)
        }
    }

    private func port(_ entry: TOMLTable, nth: Int) throws(ConfigurationError) -> Settings.NamedPort {
        var port = Settings.NamedPort(device: "")
        for key in entry.keys.sorted() {
            let value = entry[key]
            switch key {
            case "device": port.device = try absolutePath(value, in: "receiver", key: key, index: nth)
            case "baud":
                guard let speed = value?.int, Settings.speeds.contains(speed) else {
                    let known = Settings.speeds.map(String.init).joined(separator: " ")
                    throw error(in: "receiver", key: key, reason: "must be one of \(known)", index: nth)
                }
                port.baud = speed
            case "passive":
                guard let passive = value?.bool else {
                    throw error(in: "receiver", key: key, reason: "must be true or false", index: nth)
                }
                port.passive = passive
            case "keep_warm": port.keepWarm = try keepWarm(value, in: "receiver", index: nth)
            case "name":
                guard let name = value?.string, !name.isEmpty, name.utf8.count <= 64, SettingsFile.isPlain(name) else {
                    throw error(
                        in: "receiver", key: key,
                        reason: "must be a string of 1 to 64 bytes without control characters", index: nth)
                }
                port.name = name
            default:
                throw error(
                    in: "receiver", key: key,
                    reason: "unknown key; valid keys are device, baud, passive, keep_warm and name", index: nth)
            }
        }
        guard !port.device.isEmpty else {
            throw error(in: "receiver", key: nil, reason: "the key device (path of the port) is missing", index: nth)
        }
        return port
    }
}

// MARK: Values
extension SettingsFile {
    private func section(_ name: String) throws(ConfigurationError) -> TOMLTable {
        guard let section = table[name]?.table else {
            throw error(in: name, key: nil, reason: "must be a section, written as [\(name)]")
        }
        return section
    }

    private func absolutePath(
        _ value: (any TOMLValueConvertible)?, in section: String, key: String, index nth: Int = 0
    ) throws(ConfigurationError) -> String {
        guard let path = value?.string, path.hasPrefix("/"), SettingsFile.isPlain(path) else {
            throw error(
                in: section, key: key, reason: "must be an absolute path in quotes, without control characters",
                index: nth)
        }
        return path
    }

    private func socketPath(_ value: (any TOMLValueConvertible)?, key: String) throws(ConfigurationError) -> String {
        let path = try absolutePath(value, in: "service", key: key)
        guard path.utf8.count <= UnixListener.maxPathLength else {
            throw error(
                in: "service", key: key,
                reason: "must be at most \(UnixListener.maxPathLength) bytes long, the limit of a Unix socket path")
        }
        return path
    }

    /// Returns whether a text contains no control characters. A line break could forge log lines,
    /// and clients print names on terminals.
    static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    /// Replaces control characters by spaces. The parser's error text quotes the input, including
    /// line breaks.
    private static func replacingControlCharacters(in text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
    }

    /// Parses the interval of ephemeris refreshes. Below ten minutes, a receiver would better run
    /// without pause.
    private func keepWarm(
        _ value: (any TOMLValueConvertible)?, in section: String, index nth: Int = 0
    ) throws(ConfigurationError) -> Instant.Span {
        guard let span = value?.string.flatMap(DurationText.parse), (.seconds(600)...(.seconds(604_800))).contains(span)
        else {
            throw error(
                in: section, key: "keep_warm", reason: "must be a duration from \"10 min\" to \"7 d\", such as \"2 h\"",
                index: nth)
        }
        return span
    }

    private func level(_ value: (any TOMLValueConvertible)?, key: String) throws(ConfigurationError) -> Logger.Level {
        guard let level = value?.string.flatMap(Logger.Level.init(rawValue:)) else {
            throw error(
                in: "service", key: key,
                reason: "must be one of " + Logger.Level.allCases.map { "\"\($0)\"" }.joined(separator: " ")
            )
        }
        return level
    }

    private func count(
        _ value: (any TOMLValueConvertible)?, in section: String, key: String, range: ClosedRange<Int>
    ) throws(ConfigurationError) -> Int {
        guard let number = value?.int, range.contains(number) else {
            throw error(
                in: section, key: key, reason: "must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func error(in section: String, key: String?, reason: String, index nth: Int = 0) -> ConfigurationError {
        ConfigurationError(
            file: path, line: line(of: section, key: key, index: nth) ?? line(of: section, key: nil, index: nth),
            key: key.map { "\(section).\($0)" } ?? section,
            reason: reason)
    }

    /// Returns the line of a key. The parser keeps no positions, so this searches for the first
    /// line below the section that starts with the key. For a key in an inline table, search for
    /// the section instead.
    func line(of section: String, key: String?, index nth: Int) -> Int? {
        var seen = -1
        var inside = false
        for (number, line) in lines.enumerated() {
            let text = line.filter { $0 != " " && $0 != "\t" && $0 != "\"" && $0 != "'" }
            if text.hasPrefix("[") {
                inside = text.hasPrefix("[\(section)]") || text.hasPrefix("[[\(section)]]")
                if inside { seen += 1 }
                if inside && key == nil && seen == nth { return number + 1 }
            } else if key == nil
                ? text.hasPrefix("\(section)=") : inside && seen == nth && text.hasPrefix("\(key ?? "")=")
            {
                return number + 1
            } else if let key, text.hasPrefix("\(section).\(key)=") {
                return number + 1
            }
        }
        return nil
    }
}
