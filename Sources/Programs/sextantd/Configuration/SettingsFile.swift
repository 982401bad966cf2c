import Chronology
import Glibc
import Logging
import Permission
import ServiceRuntime
import Settings
import SystemCalls

/// A TOML file that is read into ``Settings``. Every key is checked; an unknown key is an error.
struct SettingsFile {
    private let file: ConfigurationFile

    /// Reads from a parsed file.
    init(_ file: ConfigurationFile) { self.file = file }

    /// Applies the values of this file to `settings`. `[[receiver]]` entries accumulate.
    ///
    /// - Parameter checksOthers: Whether the sections of other programs are checked.
    func apply(to settings: inout Settings, checksOthers: Bool) throws(ConfigurationError) {
        for key in file.table.keys.sorted() {
            switch key {
            case "service": try applyService(section(key), to: &settings)
            case "receivers": try applyReceivers(section(key), to: &settings)
            case "receiver": try applyPorts(&settings)
            case "monitors": try applyMonitors(section(key), to: &settings)
            case "station": settings.station = try StationSection(of: file).station(section(key))
            case "motion": try MotionSection(of: file).apply(section(key), to: &settings)
            case "assistance": try applyAssistance(section(key), to: &settings.assistance)
            case "visits": settings.visitLifetime = try duration("keep", in: key) ?? settings.visitLifetime
            case "track": settings.trackLifetime = try duration("keep", in: key) ?? settings.trackLifetime
            case "beacons":
                settings.beaconAbsence =
                    try duration(
                        "absence", in: key, .seconds(10) ... .seconds(3_600), "\"10 s\" to \"1 h\", such as \"30 s\"")
                    ?? settings.beaconAbsence
            case "permissions": try PermissionSection(of: file).apply(section(key), to: &settings.permissions)
            case "web", "fleet": break
            case _ where BridgeSections.names.contains(key): break
            default:
                throw error(
                    in: key, key: nil,
                    reason:
                        "unknown section; valid sections are service, receivers, receiver, station, monitors, motion, "
                        + "assistance, beacons, visits, track, permissions, "
                        + (BridgeSections.names + ["web", "fleet"]).joined(separator: ", "))
            }
        }
        if checksOthers {
            _ = try BridgeSections(of: file).settings()
            _ = try FleetSections(of: file).settings()
            _ = try WebSection(of: file).settings()
        }
        settings.files.append(file.path)
    }

    private func applyService(_ section: [String: TOMLValue], to settings: inout Settings) throws(ConfigurationError) {
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

    private func applyReceivers(_ section: [String: TOMLValue], to settings: inout Settings) throws(ConfigurationError)
    {
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
            case "rescue":
                guard let value = section[key]?.bool else {
                    throw error(in: "receivers", key: key, reason: "must be true or false")
                }
                settings.rescues = value
            case "keep_warm": settings.keepWarm = try keepWarm(section[key], in: "receivers")
            case "feed_users": settings.feedUsers = try users(section[key], in: "receivers", key: key)
            default:
                throw error(
                    in: "receivers", key: key,
                    reason: "unknown key; valid keys are discover, power, rescue, keep_warm and feed_users")
            }
        }
    }

    private func applyAssistance(
        _ section: [String: TOMLValue], to assistance: inout Settings.Assistance
    ) throws(ConfigurationError) {
        func flag(_ key: String) throws(ConfigurationError) -> Bool {
            guard let value = section[key]?.bool else {
                throw error(in: "assistance", key: key, reason: "must be true or false")
            }
            return value
        }
        for key in section.keys.sorted() {
            switch key {
            case "time_and_place": assistance.timeAndPlace = try flag(key)
            case "prediction": assistance.prediction = try flag(key)
            case "database": assistance.database = try flag(key)
            case "folder": assistance.folder = try absolutePath(section[key], in: "assistance", key: key)
            default:
                throw error(
                    in: "assistance", key: key,
                    reason: "unknown key; valid keys are time_and_place, prediction, database and folder")
            }
        }
    }

    private func applyMonitors(_ section: [String: TOMLValue], to settings: inout Settings) throws(ConfigurationError) {
        for key in section.keys.sorted() {
            switch key {
            case "max_conditions_per_program":
                settings.maxConditionsPerProgram = try count(
                    section[key], in: "monitors", key: key, range: 0...1_000_000)
            case "max_conditions":
                settings.maxConditions = try count(section[key], in: "monitors", key: key, range: 0...1_000_000)
            case "readers": settings.monitorReaders = try programs(section[key], in: "monitors", key: key)
            case "editors": settings.monitorEditors = try programs(section[key], in: "monitors", key: key)
            default:
                throw error(
                    in: "monitors", key: key,
                    reason: "unknown key; valid keys are max_conditions_per_program, max_conditions, readers and "
                        + "editors")
            }
        }
    }

    /// Returns a duration that is the only key of its section.
    private func duration(
        _ only: String, in name: String, _ range: ClosedRange<Instant.Span> = .zero ... .seconds(3650 * 86_400),
        _ valid: String = "\"0 d\" to \"3650 d\", such as \"30 d\"; \"0 d\" keeps none"
    ) throws(ConfigurationError) -> Instant.Span? {
        var duration: Instant.Span?
        for (key, value) in try section(name).sorted(by: { $0.key < $1.key }) {
            guard key == only else {
                throw error(in: name, key: key, reason: "unknown key; the only valid key is \(only)")
            }
            duration = value.string.flatMap(DurationText.parse)
            guard let duration, range.contains(duration) else {
                throw error(in: name, key: key, reason: "must be a duration from \(valid)")
            }
        }
        return duration
    }

    private func applyPorts(_ settings: inout Settings) throws(ConfigurationError) {
        guard let entries = file.table["receiver"]?.array else {
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

    private func port(_ entry: [String: TOMLValue], nth: Int) throws(ConfigurationError) -> Settings.NamedPort {
        var port = Settings.NamedPort(device: "")
        for key in entry.keys.sorted() {
            let value = entry[key]
            switch key {
            case "device": port.device = try absolutePath(value, in: "receiver", key: key, index: nth)
            case "baud":
                guard let speed = value?.int, Settings.speeds.contains(speed) else {
                    let known = Settings.speeds.map(String.init).joined(separator: " ")
                    let reason = "must be a number without quotes, one of \(known)"
                    throw error(in: "receiver", key: key, reason: reason, index: nth)
                }
                port.baud = speed
            case "passive":
                guard let passive = value?.bool else {
                    throw error(in: "receiver", key: key, reason: "must be true or false", index: nth)
                }
                port.passive = passive
            case "keep_warm": port.keepWarm = try keepWarm(value, in: "receiver", index: nth)
            case "name":
                guard let name = value?.string, !name.isEmpty, name.utf8.count <= 64, ConfigurationFile.isPlain(name)
                else {
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
    private func section(_ name: String) throws(ConfigurationError) -> [String: TOMLValue] { try file.section(name) }

    private func absolutePath(
        _ value: TOMLValue?, in section: String, key: String, index nth: Int = 0
    ) throws(ConfigurationError) -> String {
        guard let path = value?.string, path.hasPrefix("/"), ConfigurationFile.isPlain(path) else {
            throw error(
                in: section, key: key, reason: "must be an absolute path in quotes, without control characters",
                index: nth)
        }
        return path
    }

    private func socketPath(_ value: TOMLValue?, key: String) throws(ConfigurationError) -> String {
        let path = try absolutePath(value, in: "service", key: key)
        guard path.utf8.count <= StreamListener.maxPathLength else {
            throw error(
                in: "service", key: key,
                reason: "must be at most \(StreamListener.maxPathLength) bytes long, the limit of a Unix socket path")
        }
        return path
    }

    /// Parses the interval of ephemeris refreshes. Below ten minutes, a receiver would better run
    /// without pause.
    private func keepWarm(
        _ value: TOMLValue?, in section: String, index nth: Int = 0
    ) throws(ConfigurationError) -> Instant.Span {
        guard let span = value?.string.flatMap(DurationText.parse), (.seconds(600)...(.seconds(604_800))).contains(span)
        else {
            throw error(
                in: section, key: "keep_warm", reason: "must be a duration from \"10 min\" to \"7 d\", such as \"2 h\"",
                index: nth)
        }
        return span
    }

    private func level(_ value: TOMLValue?, key: String) throws(ConfigurationError) -> Logger.Level {
        guard let level = value?.string.flatMap(Logger.Level.init(rawValue:)) else {
            throw error(
                in: "service", key: key,
                reason: "must be one of " + Logger.Level.allCases.map { "\"\($0)\"" }.joined(separator: " ")
            )
        }
        return level
    }

    private func count(
        _ value: TOMLValue?, in section: String, key: String, range: ClosedRange<Int>
    ) throws(ConfigurationError) -> Int {
        guard let number = value?.int, range.contains(number) else {
            throw error(
                in: section, key: key, reason: "must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func error(in section: String, key: String?, reason: String, index nth: Int = 0) -> ConfigurationError {
        file.error(in: section, key: key, reason: reason, index: nth)
    }
}

/// The text form of a duration in the configuration: "45 min", "2 h", "1d".
enum DurationText {
    private static let units = [("s", 1.0), ("min", 60.0), ("h", 3_600.0), ("d", 86_400.0)]

    /// Parses a duration. Returns `nil` if the text is invalid.
    static func parse(_ text: String) -> Instant.Span? {
        let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let number = Double(digits), number.isFinite, let seconds = units.first(where: { $0.0 == unit })?.1 else {
            return nil
        }
        let length = number * seconds
        // The limit is about a thousand years.
        return length <= 3.2e10 ? .seconds(length) : nil
    }
}

extension SettingsFile {
    /// Reads a list of users by name or number. Names are looked up once, when the file is read.
    func users(
        _ value: TOMLValue?, in section: String, key: String
    ) throws(ConfigurationError) -> Set<UInt32> {
        guard let array = value?.array else { throw invalidUsers(in: section, key: key) }
        var users: Set<UInt32> = []
        for index in 0..<array.count {
            if let number = array[index].int.flatMap({ UInt32(exactly: $0) }) {
                users.insert(number)
            } else if let name = array[index].string, let entry = getpwnam(name) {
                users.insert(entry.pointee.pw_uid)
            } else {
                throw invalidUsers(in: section, key: key)
            }
        }
        return users
    }

    /// Reads a list of users and of units of the system's manager.
    func programs(_ value: TOMLValue?, in section: String, key: String) throws(ConfigurationError) -> ProgramSet {
        guard let array = value?.array else { throw invalidPrograms(in: section, key: key) }
        var programs = ProgramSet()
        for index in 0..<array.count {
            let name = array[index].string ?? ""
            if let number = array[index].int.flatMap({ UInt32(exactly: $0) }) ?? LocalUser.id(named: name) {
                programs.users.insert(number)
            } else if ProgramID.isUnitName(name), !name.hasPrefix("user:") {
                programs.units.insert(name)
            } else {
                throw invalidPrograms(in: section, key: key)
            }
        }
        return programs
    }

    private func invalidPrograms(in section: String, key: String) -> ConfigurationError {
        error(
            in: section, key: key,
            reason: "must be a list of users that exist and of services of the system, such as "
                + "[\"anna\", \"sextant-web.service\"]")
    }

    private func invalidUsers(in section: String, key: String) -> ConfigurationError {
        error(
            in: section, key: key,
            reason: "must be a list of names or numbers of users that exist, such as [\"sextant-inlet\"]")
    }
}
