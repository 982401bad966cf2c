import Chronology
import Logging
import Systemd
import TOMLKit

/// One TOML file read into ``Settings``. Every key is checked: a misspelt one is an error, not silence.
struct SettingsFile {
    private let path: String
    private let lines: [Substring]
    private let table: TOMLTable

    /// Parses the text of a file; throws with line and column when it is no TOML.
    init(path: String, text: String) throws(ConfigurationError) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if let index = lines.firstIndex(where: { $0.utf8.contains(0) }) {
            // The parser would stop there and take the rest for absent.
            throw ConfigurationError(file: path, line: index + 1, key: nil, reason: "holds a zero byte, which no TOML does")
        }
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            throw ConfigurationError(file: path, line: error.source.begin.line, key: nil, reason: SettingsFile.line(error.description))
        } catch {
            throw ConfigurationError(file: path, line: nil, key: nil, reason: "\(error)")
        }
    }

    /// Lays this file's values over `settings`; `[[receiver]]` entries add up.
    func apply(to settings: inout Settings) throws(ConfigurationError) {
        for key in table.keys.sorted() {
            switch key {
            case "service": try applyService(section(key), &settings)
            case "receivers": try applyReceivers(section(key), &settings)
            case "receiver": try applyPorts(&settings)
            case "monitors": try applyMonitors(section(key), &settings)
            default: throw wrong(key, nil, "there is no such section; known are service, receivers, receiver and monitors")
            }
        }
        settings.files.append(path)
    }

    private func applyService(_ section: TOMLTable, _ settings: inout Settings) throws(ConfigurationError) {
        for key in section.keys.sorted() {
            let value = section[key]
            switch key {
            case "socket": settings.socket = try socketPath(value, key)
            case "state": settings.state = try absolutePath(value, "service", key)
            case "log_level": settings.logLevel = try level(value, key)
            case "max_connections_per_user": settings.maxConnectionsPerUser = try count(value, "service", key, 1...4096)
            case "max_connections": settings.maxConnections = try count(value, "service", key, 1...65_536)
            default:
                throw wrong(
                    "service", key, "there is no such key; known are socket, state, log_level, max_connections_per_user and max_connections"
                )
            }
        }
    }

    private func applyReceivers(_ section: TOMLTable, _ settings: inout Settings) throws(ConfigurationError) {
        for key in section.keys.sorted() {
            switch key {
            case "discover":
                guard let value = section[key]?.bool else { throw wrong("receivers", key, "must be true or false") }
                settings.discover = value
            case "power":
                guard let power = section[key]?.string.flatMap(Settings.Power.init(rawValue:)) else {
                    throw wrong("receivers", key, "must be \"auto\" or \"off\"")
                }
                settings.power = power
            case "keep_warm": settings.keepWarm = try keepWarm(section[key], "receivers")
            default: throw wrong("receivers", key, "there is no such key; known are discover, power and keep_warm")
            }
        }
    }

    private func applyMonitors(_ section: TOMLTable, _ settings: inout Settings) throws(ConfigurationError) {
        for key in section.keys.sorted() {
            switch key {
            case "max_conditions_per_program":
                settings.maxConditionsPerProgram = try count(section[key], "monitors", key, 0...1_000_000)
            case "max_conditions": settings.maxConditions = try count(section[key], "monitors", key, 0...1_000_000)
            default: throw wrong("monitors", key, "there is no such key; known are max_conditions_per_program and max_conditions")
            }
        }
    }

    private func applyPorts(_ settings: inout Settings) throws(ConfigurationError) {
        guard let entries = table["receiver"]?.array else { throw wrong("receiver", nil, "must be written [[receiver]]") }
        for index in 0..<entries.count {
            guard let entry = entries[index].table else { throw wrong("receiver", nil, "must be written [[receiver]]") }
            let port = try port(entry, nth: index)
            // Two that read one port would tear the sentences apart between them.
            if settings.ports.contains(where: { $0.device == port.device }) {
                throw wrong("receiver", "device", "\(port.device) is named twice", index)
            }
            if let name = port.name, settings.ports.contains(where: { $0.name == name }) {
                throw wrong("receiver", "name", "another receiver is called \(name) already", index)
            }
            settings.ports.append(port)
        }
    }

    private func port(_ entry: TOMLTable, nth: Int) throws(ConfigurationError) -> Settings.NamedPort {
        var port = Settings.NamedPort(device: "")
        for key in entry.keys.sorted() {
            let value = entry[key]
            switch key {
            case "device": port.device = try absolutePath(value, "receiver", key, nth)
            case "baud":
                guard let speed = value?.int, Settings.speeds.contains(speed) else {
                    let known = Settings.speeds.map(String.init).joined(separator: " ")
                    throw wrong("receiver", key, "must be one of \(known)", nth)
                }
                port.baud = speed
            case "passive":
                guard let passive = value?.bool else { throw wrong("receiver", key, "must be true or false", nth) }
                port.passive = passive
            case "keep_warm": port.keepWarm = try keepWarm(value, "receiver", nth)
            case "name":
                guard let name = value?.string, !name.isEmpty, name.utf8.count <= 64, SettingsFile.isPlain(name) else {
                    throw wrong("receiver", key, "must be a text of 1 to 64 bytes, without control characters", nth)
                }
                port.name = name
            default: throw wrong("receiver", key, "there is no such key; known are device, baud, passive, keep_warm and name", nth)
            }
        }
        guard !port.device.isEmpty else { throw wrong("receiver", nil, "lacks the key device, the path of its port", nth) }
        return port
    }
}

// MARK: Values
extension SettingsFile {
    private func section(_ name: String) throws(ConfigurationError) -> TOMLTable {
        guard let section = table[name]?.table else { throw wrong(name, nil, "must be a section, written [\(name)]") }
        return section
    }

    private func absolutePath(
        _ value: (any TOMLValueConvertible)?, _ section: String, _ key: String, _ nth: Int = 0
    ) throws(ConfigurationError) -> String {
        guard let path = value?.string, path.hasPrefix("/"), SettingsFile.isPlain(path) else {
            throw wrong(section, key, "must be an absolute path in quotes, without control characters", nth)
        }
        return path
    }

    private func socketPath(_ value: (any TOMLValueConvertible)?, _ key: String) throws(ConfigurationError) -> String {
        let path = try absolutePath(value, "service", key)
        guard path.utf8.count <= UnixListener.longestPath else {
            throw wrong("service", key, "must have at most \(UnixListener.longestPath) bytes, as a Unix socket's path")
        }
        return path
    }

    /// Whether a text shows as it is: a line break would forge lines of the log, and clients print names on terminals.
    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    /// The parser quotes what it has met, line breaks too.
    private static func line(_ words: String) -> String {
        String(String.UnicodeScalarView(words.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
    }

    /// How often receivers are kept warm. More often than every ten minutes they would better go on.
    private func keepWarm(
        _ value: (any TOMLValueConvertible)?, _ section: String, _ nth: Int = 0
    ) throws(ConfigurationError) -> Instant.Span {
        guard let span = value?.string.flatMap(DurationText.read), (.seconds(600)...(.seconds(604_800))).contains(span) else {
            throw wrong(section, "keep_warm", "must be a length of time from \"10 min\" to \"7 d\", such as \"2 h\"", nth)
        }
        return span
    }

    private func level(_ value: (any TOMLValueConvertible)?, _ key: String) throws(ConfigurationError) -> Logger.Level {
        guard let level = value?.string.flatMap(Logger.Level.init(rawValue:)) else {
            throw wrong("service", key, "must be one of " + Logger.Level.allCases.map { "\"\($0)\"" }.joined(separator: " "))
        }
        return level
    }

    private func count(
        _ value: (any TOMLValueConvertible)?, _ section: String, _ key: String, _ range: ClosedRange<Int>
    ) throws(ConfigurationError) -> Int {
        guard let number = value?.int, range.contains(number) else {
            throw wrong(section, key, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func wrong(_ section: String, _ key: String?, _ reason: String, _ nth: Int = 0) -> ConfigurationError {
        ConfigurationError(
            file: path, line: line(of: section, key, nth) ?? line(of: section, nil, nth), key: key.map { "\(section).\($0)" } ?? section,
            reason: reason)
    }

    /// Where a key stands. The parser keeps no positions, so its line is looked for: the first that begins with it below its section. Of a key
    /// in an inline table, the line of the table is found by asking for the section.
    private func line(of section: String, _ key: String?, _ nth: Int) -> Int? {
        var seen = -1
        var inside = false
        for (number, line) in lines.enumerated() {
            let text = line.filter { $0 != " " && $0 != "\t" && $0 != "\"" && $0 != "'" }
            if text.hasPrefix("[") {
                inside = text.hasPrefix("[\(section)]") || text.hasPrefix("[[\(section)]]")
                if inside { seen += 1 }
                if inside && key == nil && seen == nth { return number + 1 }
            } else if key == nil ? text.hasPrefix("\(section)=") : inside && seen == nth && text.hasPrefix("\(key ?? "")=") {
                return number + 1
            } else if let key, text.hasPrefix("\(section).\(key)=") {
                return number + 1
            }
        }
        return nil
    }
}
