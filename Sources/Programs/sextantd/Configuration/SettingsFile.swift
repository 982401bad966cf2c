import Chronology
import Geodesy
import Glibc
import Logging
import Permission
import Positioning
import Receivers
import ServiceRuntime
import Settings
import SextantAPI
import SystemCalls

/// A TOML file that is read into ``Settings``. Every key is checked; an unknown key is an error.
struct SettingsFile {
    private let file: ConfigurationFile

    init(_ file: ConfigurationFile) { self.file = file }

    /// Applies the values of this file to `settings`. `[[receiver]]` entries accumulate.
    ///
    /// - Parameter checksOthers: Whether the sections of other programs are checked.
    func apply(to settings: inout Settings, checksOthers: Bool) throws(ConfigurationError) {
        for key in file.table.keys.sorted() {
            switch key {
            case "service": try applyService(to: &settings)
            case "receivers": try applyReceivers(to: &settings)
            case "receiver": try applyPorts(to: &settings)
            case "monitors": try applyMonitors(to: &settings)
            case "station": settings.station = try Station(file)
            case "motion": try settings.applyMotion(file)
            case "assistance": try applyAssistance(to: &settings.assistance)
            case "visits": settings.visitLifetime = try duration("keep", in: key) ?? settings.visitLifetime
            case "track": settings.trackLifetime = try duration("keep", in: key) ?? settings.trackLifetime
            case "beacons":
                settings.beaconAbsence =
                    try duration(
                        "absence", in: key, .seconds(10) ... .seconds(3_600), "\"10 s\" to \"1 h\", such as \"30 s\"")
                    ?? settings.beaconAbsence
            case "permissions": try settings.permissions.apply(file)
            case "web", "fleet": break
            case _ where BridgeSections.names.contains(key): break
            default:
                throw file.error(
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

    private func applyService(to settings: inout Settings) throws(ConfigurationError) {
        let section = try file.section(
            "service",
            keys: [
                "socket", "state", "log_level", "max_connections_per_program", "max_connections_per_user",
                "max_connections", "max_updates_per_second",
            ])
        settings.socket = try section.path("socket") ?? settings.socket
        guard settings.socket.utf8.count <= StreamListener.maxPathLength else {
            throw section.error(
                "socket",
                "must be at most \(StreamListener.maxPathLength) bytes long, the limit of a Unix socket path")
        }
        settings.state = try section.path("state") ?? settings.state
        settings.logLevel = try section.choice("log_level") ?? settings.logLevel
        settings.maxConnectionsPerProgram =
            try section.integer("max_connections_per_program", 1...4096) ?? settings.maxConnectionsPerProgram
        settings.maxConnectionsPerUser =
            try section.integer("max_connections_per_user", 1...4096) ?? settings.maxConnectionsPerUser
        settings.maxConnections = try section.integer("max_connections", 1...65_536) ?? settings.maxConnections
        settings.maxUpdatesPerSecond =
            try section.integer("max_updates_per_second", 20...10_000) ?? settings.maxUpdatesPerSecond
    }

    private func applyReceivers(to settings: inout Settings) throws(ConfigurationError) {
        let section = try file.section(
            "receivers", keys: ["discover", "power", "rescue", "keep_warm", "feed_users"])
        settings.discover = try section.flag("discover") ?? settings.discover
        settings.power = try section.choice("power") ?? settings.power
        settings.rescues = try section.flag("rescue") ?? settings.rescues
        settings.keepWarm = try section.keepWarm() ?? settings.keepWarm
        settings.feedUsers = try section.users("feed_users") ?? settings.feedUsers
    }

    private func applyAssistance(to assistance: inout Settings.Assistance) throws(ConfigurationError) {
        let section = try file.section("assistance", keys: ["time_and_place", "prediction", "database", "folder"])
        assistance.timeAndPlace = try section.flag("time_and_place") ?? assistance.timeAndPlace
        assistance.prediction = try section.flag("prediction") ?? assistance.prediction
        assistance.database = try section.flag("database") ?? assistance.database
        assistance.folder = try section.path("folder") ?? assistance.folder
    }

    private func applyMonitors(to settings: inout Settings) throws(ConfigurationError) {
        let section = try file.section(
            "monitors", keys: ["max_conditions_per_program", "max_conditions", "readers", "editors"])
        settings.maxConditionsPerProgram =
            try section.integer("max_conditions_per_program", 0...1_000_000) ?? settings.maxConditionsPerProgram
        settings.maxConditions = try section.integer("max_conditions", 0...1_000_000) ?? settings.maxConditions
        settings.monitorReaders = try section.programs("readers") ?? settings.monitorReaders
        settings.monitorEditors = try section.programs("editors") ?? settings.monitorEditors
    }

    /// Returns a duration that is the only key of its section.
    private func duration(
        _ key: String, in name: String, _ range: ClosedRange<Instant.Span> = .zero ... .seconds(3650 * 86_400),
        _ valid: String = "\"0 d\" to \"3650 d\", such as \"30 d\"; \"0 d\" keeps none"
    ) throws(ConfigurationError) -> Instant.Span? {
        try file.section(name, keys: [key]).value(key, "must be a duration from \(valid)") { value in
            value.string.flatMap(DurationText.parse).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    private func applyPorts(to settings: inout Settings) throws(ConfigurationError) {
        for entry in try file.entries("receiver", keys: ["device", "baud", "passive", "keep_warm", "name"]) {
            guard let device = try entry.path("device") else {
                throw entry.error(nil, "the key device (path of the port) is missing")
            }
            var port = Settings.NamedPort(device: device)
            let rates = BaudRateDetector.order.sorted()
            let known = rates.map(String.init).joined(separator: " ")
            port.baud = try entry.value("baud", "must be a number without quotes, one of \(known)") { value in
                value.int.flatMap { rates.contains($0) ? $0 : nil }
            }
            port.passive = try entry.flag("passive") ?? port.passive
            port.keepWarm = try entry.keepWarm()
            port.name = try entry.text("name", max: 64)
            // Two readers of one port would each get only parts of the sentences.
            if settings.ports.contains(where: { $0.device == port.device }) {
                throw entry.error("device", "\(port.device) is listed twice")
            }
            if let name = port.name, settings.ports.contains(where: { $0.name == name }) {
                throw entry.error("name", "the name \(name) is already used by another receiver")
            }
            settings.ports.append(port)
        }
    }
}

extension Station {
    /// Reads the section `[station]`: the fixed place of the device.
    init(_ file: ConfigurationFile) throws(ConfigurationError) {
        let section = try file.section("station", keys: ["latitude", "longitude", "accuracy", "altitude", "name"])
        let latitude = try section.number("latitude", -90...90, "degrees from -90 to 90")
        let longitude = try section.number("longitude", -180...180, "degrees from -180 to 180")
        let accuracy = try section.number("accuracy", 0.01...10_000, "metres from 0.01 to 10000")
        guard let latitude, let longitude, let accuracy,
            let place = Coordinate(latitude: latitude, longitude: longitude)
        else {
            throw section.error(
                nil,
                "needs latitude, longitude and accuracy, the radius in metres that contains the place with 68 %; "
                    + "to measure them: sextant station average")
        }
        self.init(coordinate: place, horizontalAccuracy: accuracy)
        altitude = try section.number(
            "altitude", -1_000...100_000, "metres above mean sea level, from -1000 to 100000")
        name = try section.sourceName("name") ?? name
    }
}

// MARK: Values
extension ConfigurationSection {
    /// The name of a source of locations or reports.
    func sourceName(_ key: String) throws(ConfigurationError) -> String? {
        try value(key, "must be 1 to 64 letters, digits, dots, hyphens and underscores") { value in
            value.string.flatMap { FeedParameters.isName($0) ? $0 : nil }
        }
    }

    /// The interval of ephemeris refreshes. Below ten minutes, a receiver would better run without
    /// pause.
    fileprivate func keepWarm() throws(ConfigurationError) -> Instant.Span? {
        try value("keep_warm", "must be a duration from \"10 min\" to \"7 d\", such as \"2 h\"") { value in
            value.string.flatMap(DurationText.parse).flatMap {
                (.seconds(600)...(.seconds(604_800))).contains($0) ? $0 : nil
            }
        }
    }

    /// A list of users by name or number. Names are looked up once, when the file is read.
    fileprivate func users(_ key: String) throws(ConfigurationError) -> Set<UInt32>? {
        try value(
            key, "must be a list of names or numbers of users that exist, such as [\"sextant-inlet\"]"
        ) { value in
            let users = value.array?.map(\.user)
            return users.flatMap { $0.contains(nil) ? nil : Set($0.compactMap(\.self)) }
        }
    }

    /// A list of users and of units of the system's manager.
    func programs(_ key: String) throws(ConfigurationError) -> ProgramSet? {
        try value(
            key,
            "must be a list of users that exist and of services of the system, such as "
                + "[\"anna\", \"sextant-web.service\"]"
        ) { value in
            guard let array = value.array else { return nil }
            var programs = ProgramSet()
            for entry in array {
                if let number = entry.int.flatMap({ UInt32(exactly: $0) }) ?? entry.string.flatMap(LocalUser.id(named:))
                {
                    programs.users.insert(number)
                } else if let name = entry.string, ProgramID.isUnitName(name), !name.hasPrefix("user:") {
                    programs.units.insert(name)
                } else {
                    return nil
                }
            }
            return programs
        }
    }
}

extension TOMLValue {
    /// The user with this name or number, of any source of users; nil if there is none with the
    /// name.
    var user: UInt32? { int.flatMap { UInt32(exactly: $0) } ?? string.flatMap { getpwnam($0)?.pointee.pw_uid } }
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
