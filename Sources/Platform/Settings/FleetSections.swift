/// Reads the sections `[fleet.NAME]`. Each key has the option of `sextant-fleet` of the same name.
package struct FleetSections {
    /// The settings of a section.
    package struct Settings: Equatable, Sendable {
        /// The servers.
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
        package var quietHours: [String] = []
        /// The places where nothing is reported.
        package var quietPlaces: [String] = []

        /// The defaults.
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

    private let file: ConfigurationFile
    private let values: SectionValues

    /// Reads from a parsed file.
    package init(of file: ConfigurationFile) {
        self.file = file
        values = SectionValues(of: file)
    }

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
        let section = try file.section("fleet")
        for name in section.keys.sorted() {
            guard let table = section[name]?.table else {
                throw file.error(
                    in: "fleet", key: name, reason: "must be a section with a name, such as [fleet.\(name)]")
            }
            guard BridgeSections.isName(name) else {
                throw file.error(
                    in: "fleet.\(name)", key: nil,
                    reason: "the name needs 1 to 64 letters, digits, dots, hyphens and underscores")
            }
            found[name] = try settings(of: table, in: "fleet.\(name)")
        }
        return found
    }

    private func settings(of section: [String: TOMLValue], in name: String) throws(ConfigurationError) -> Settings {
        var settings = Settings()
        for key in section.keys.sorted() {
            let value = section[key]
            switch key {
            case "destination": settings.destinations = try destinations(value, in: name, key: key)
            case "user": settings.user = try topicName(value, in: name, key: key)
            case "device": settings.device = try topicName(value, in: name, key: key)
            case "tolerance":
                guard let number = value?.number,
                    FleetSections.tolerances.contains(number)
                else { throw file.error(in: name, key: key, reason: "must be a number of metres from 0 to 100000") }
                settings.tolerance = number
            case "batch": settings.batch = try seconds(value, FleetSections.intervals, in: name, key: key)
            case "keepalive": settings.keepalive = try seconds(value, FleetSections.intervals, in: name, key: key)
            case "spread": settings.spread = try seconds(value, FleetSections.spreads, in: name, key: key)
            case "home_assistant":
                settings.homeAssistant = try isOn(value, in: name, key: key)
            case "traccar_json": settings.traccarJSON = try isOn(value, in: name, key: key)
            case "monitor": settings.monitors = try values.texts(value, in: name, key: key)
            case "accuracy":
                guard let text = value?.string, ["full", "reduced"].contains(text) else {
                    throw file.error(in: name, key: key, reason: "must be \"full\" or \"reduced\"")
                }
                settings.accuracy = text
            case "quiet_hours": settings.quietHours = try values.texts(value, in: name, key: key)
            case "quiet_place": settings.quietPlaces = try values.texts(value, in: name, key: key)
            default:
                throw file.unknown(
                    key, in: name,
                    "destination, user, device, tolerance, batch, keepalive, spread, home_assistant, traccar_json, "
                        + "monitor, accuracy, quiet_hours and quiet_place")
            }
        }
        guard !settings.destinations.isEmpty else {
            throw file.error(in: name, key: nil, reason: "needs a destination, such as \"mqtts://broker.example:8883\"")
        }
        return settings
    }

    private func isOn(
        _ value: TOMLValue?, in section: String, key: String
    ) throws(ConfigurationError) -> Bool {
        guard let isOn = value?.bool else {
            throw file.error(in: section, key: key, reason: "must be true or false")
        }
        return isOn
    }

    private func destinations(
        _ value: TOMLValue?, in section: String, key: String
    ) throws(ConfigurationError) -> [String] {
        let texts = try values.texts(value, in: section, key: key)
        let isValid = texts.allSatisfy { text in
            FleetSections.schemes.contains { text.hasPrefix("\($0)://") && text.utf8.count > $0.utf8.count + 3 }
                && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
        guard isValid, !texts.isEmpty else {
            throw file.error(
                in: section, key: key,
                reason: "must be a URL or a list of URLs with \(FleetSections.schemes.joined(separator: ", "))")
        }
        return texts
    }

    private func seconds(
        _ value: TOMLValue?, _ range: ClosedRange<Int>, in section: String, key: String
    ) throws(ConfigurationError) -> Int {
        guard let seconds = value?.int, range.contains(seconds) else {
            throw file.error(
                in: section, key: key,
                reason: "must be a number of seconds from \(range.lowerBound) to \(range.upperBound)")
        }
        return seconds
    }

    private func topicName(
        _ value: TOMLValue?, in section: String, key: String
    ) throws(ConfigurationError) -> String {
        let text = try values.text(value, in: section, key: key, max: 64)
        guard !text.contains(where: { "/+#".contains($0) }) else {
            throw file.error(in: section, key: key, reason: "must be a name without /, + and #")
        }
        return text
    }
}
