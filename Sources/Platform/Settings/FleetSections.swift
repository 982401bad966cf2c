import Permission

/// Reads the sections `[fleet.NAME]`. Each key has the option of `sextant-fleet` of the same name.
package struct FleetSections {
    /// The settings of a section.
    package struct Settings: Equatable, Sendable {
        package var destinations: [String] = []
        /// The name of the user in topics.
        package var user: String?
        /// The name of the device in topics.
        package var device: String?
        /// The maximum error of the track in metres.
        package var tolerance: Double?
        /// The seconds for which positions wait for a batch.
        package var batch: Int?
        /// The seconds without a message after which one is sent.
        package var keepalive: Int?
        /// The seconds over which a fleet spreads its attempts to connect again.
        package var spread: Int?
        /// Whether Home Assistant gets messages of its own.
        package var homeAssistant: Bool?
        /// Whether Traccar gets its JSON form.
        package var traccarJSON = false
        /// The monitors whose events are reported.
        package var monitors: [String] = []
        /// `full` or `reduced`.
        package var accuracy: String?
        /// The hours in which nothing is reported.
        package var quietHours: [QuietHours] = []
        /// The places where nothing is reported.
        package var quietPlaces: [QuietPlace] = []

        package init() {}
    }

    private static let schemes = [
        "mqtt", "mqtts", "owntracks+http", "owntracks+https", "traccar+http", "traccar+https",
        "homeassistant+http", "homeassistant+https",
    ]
    /// The allowed values of `batch` and `keepalive` in seconds.
    package static let intervals = 10...3600
    /// The allowed values of `spread` in seconds.
    package static let spreads = 1...300
    private static let tolerances = 0.0...100_000.0

    private static let keys = [
        "destination", "user", "device", "tolerance", "batch", "keepalive", "spread", "home_assistant", "traccar_json",
        "monitor", "accuracy", "quiet_hours", "quiet_place",
    ]

    private let file: ConfigurationFile

    package init(of file: ConfigurationFile) { self.file = file }

    /// Reads the standard files, or only one. A section of a later file replaces the earlier one.
    package static func load(file: String?) throws(ConfigurationError) -> [String: Settings] {
        var all: [String: Settings] = [:]
        let paths = if let file { [file] } else { try ConfigurationFiles.standard() }
        for path in paths {
            all.merge(try FleetSections(of: ConfigurationFiles.read(path)).settings()) { $1 }
        }
        return all
    }

    /// Returns the sections of the file by name. Other sections are ignored.
    package func settings() throws(ConfigurationError) -> [String: Settings] {
        guard file.table.keys.contains("fleet") else { return [:] }
        var found: [String: Settings] = [:]
        for (name, section) in try file.sections(below: "fleet", keys: FleetSections.keys) {
            found[name] = try settings(of: section)
        }
        return found
    }

    private func settings(of section: ConfigurationSection) throws(ConfigurationError) -> Settings {
        var settings = Settings()
        settings.destinations = try destinations(section)
        settings.user = try topicName("user", of: section)
        settings.device = try topicName("device", of: section)
        settings.tolerance = try section.number("tolerance", FleetSections.tolerances, "metres from 0 to 100000")
        settings.batch = try section.integer("batch", FleetSections.intervals, unit: "seconds")
        settings.keepalive = try section.integer("keepalive", FleetSections.intervals, unit: "seconds")
        settings.spread = try section.integer("spread", FleetSections.spreads, unit: "seconds")
        settings.homeAssistant = try section.flag("home_assistant")
        settings.traccarJSON = try section.flag("traccar_json") ?? false
        settings.monitors = try section.texts("monitor") ?? []
        settings.accuracy = try section.choice("accuracy", [("full", "full"), ("reduced", "reduced")])
        settings.quietHours = try values("quiet_hours", of: section, "HH:MM-HH:MM, such as \"22:00-06:00\"") {
            QuietHours($0)
        }
        settings.quietPlaces = try values(
            "quiet_place", of: section, "LATITUDE,LONGITUDE,RADIUS, such as \"51.5,-0.1,200\""
        ) { QuietPlace($0) }
        return settings
    }

    /// Reads a text or a list of texts, each of which `read` understands.
    private func values<Value>(
        _ key: String, of section: ConfigurationSection, _ form: String, _ read: (String) -> Value?
    ) throws(ConfigurationError) -> [Value] {
        let texts = try section.texts(key) ?? []
        let values = texts.compactMap(read)
        guard values.count == texts.count else { throw section.error(key, "must be \(form), or a list") }
        return values
    }

    private func destinations(_ section: ConfigurationSection) throws(ConfigurationError) -> [String] {
        let texts = try section.texts("destination")
        let isValid = texts?.allSatisfy { text in
            FleetSections.schemes.contains { text.hasPrefix("\($0)://") && text.utf8.count > $0.utf8.count + 3 }
                && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
        guard let texts else {
            throw section.error(nil, "needs a destination, such as \"mqtts://broker.example:8883\"")
        }
        guard isValid == true, !texts.isEmpty else {
            throw section.error(
                "destination",
                "must be a URL or a list of URLs with \(FleetSections.schemes.joined(separator: ", "))")
        }
        return texts
    }

    private func topicName(_ key: String, of section: ConfigurationSection) throws(ConfigurationError) -> String? {
        let text = try section.text(key, max: 64)
        guard text?.contains(where: { "/+#".contains($0) }) != true else {
            throw section.error(key, "must be a name without /, + and #")
        }
        return text
    }
}
