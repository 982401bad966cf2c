import Fleet
import Permission
import ServiceRuntime
import Settings
import SextantAPI

/// The accuracy of the positions that are reported.
enum ReportAccuracy: String { case full, reduced }

/// The options of `sextant-fleet`.
struct ReportOptions: ProgramRole, Equatable {
    /// The directory of the records.
    var state: String?
    var destinations: [String] = []
    var destinationFiles: [String] = []
    /// The section `[fleet.NAME]` to read.
    var configured: String?
    /// The only configuration file to read.
    var config: String?
    var user: String?
    var device: String?
    var tolerance: Double?
    var accuracy: ReportAccuracy?
    var quietHours: [QuietHours] = []
    var quietPlaces: [QuietPlace] = []
    var batch: Int?
    var keepalive: Int?
    var spread: Int?
    var homeAssistant: Bool?
    var traccarJSON = false
    var monitors: [String] = []

    /// Whether the options name a server.
    var hasDestination: Bool { !destinations.isEmpty || !destinationFiles.isEmpty }

    mutating func set(_ option: String, to value: String) throws(UsageError) {
        switch option {
        case "state": state = try OptionValue.path(value, of: option)
        case "destination":
            do throws(Destination.Invalid) { _ = try Destination(value) } catch {
                throw UsageError(message: "--destination: \(error)")
            }
            destinations.append(value)
        case "destination-file": destinationFiles.append(try OptionValue.path(value, of: option))
        case "configured": configured = value
        case "config": config = try OptionValue.path(value, of: option)
        case "user": user = try ReportOptions.topicName(value)
        case "device": device = try ReportOptions.topicName(value)
        case "tolerance":
            tolerance = try OptionValue.number(value, SubscribeParameters.toleranceRange, "metres", of: option)
        case "accuracy":
            guard let choice = ReportAccuracy(rawValue: value) else {
                throw UsageError(message: "--accuracy must be full or reduced")
            }
            accuracy = choice
        case "quiet-hours":
            guard let hours = QuietHours(value) else {
                throw UsageError(
                    message: "\(value) is not valid for quiet hours: write HH:MM-HH:MM, such as 22:00-06:00")
            }
            quietHours.append(hours)
        case "quiet-place":
            guard let place = QuietPlace(value) else {
                throw UsageError(
                    message: "\(value) is not valid for a quiet place: write LATITUDE,LONGITUDE,RADIUS, such as "
                        + "51.5,-0.1,200")
            }
            quietPlaces.append(place)
        case "batch": batch = try OptionValue.integer(value, FleetSections.intervals, of: option)
        case "keepalive": keepalive = try OptionValue.integer(value, FleetSections.intervals, of: option)
        case "spread": spread = try OptionValue.integer(value, FleetSections.spreads, of: option)
        case "home-assistant": homeAssistant = true
        case "no-home-assistant": homeAssistant = false
        case "traccar-json": traccarJSON = true
        default: monitors.append(value)
        }
    }

    func run() throws -> CInt { try FleetCommand(self).run() }

    /// Checks what options need together.
    func validate(hasCredential: Bool) throws(UsageError) {
        guard state != nil else { throw UsageError(message: "--state is missing") }
        guard hasDestination || configured != nil || hasCredential else {
            throw UsageError(message: "--destination is missing")
        }
    }

    private static func topicName(_ text: String) throws(UsageError) -> String {
        guard !text.isEmpty, !text.contains(where: { "/+#".contains($0) }) else {
            throw UsageError(message: "--user and --device must be names without /, + and #")
        }
        return text
    }
}

extension ReportOptions {
    static let table = OptionTable(
        program: "sextant-fleet",
        usage: "--state DIR --destination URL... [options]",
        abstract: "Report positions and events to a server: OwnTracks, Home Assistant, Traccar.",
        discussion: """
            Positions and events wait on disk until the server has acknowledged them. Keys are read from \
            $CREDENTIALS_DIRECTORY: ca.pem, cert.pem, key.pem, password, encryption-key and destination.
            """,
        entries: [
            .init("state", "DIR", .folders, "Keep unacknowledged records in this directory."),
            .init(
                "destination", "URL",
                """
                Report to this server: mqtt://HOST:PORT, mqtts://..., owntracks+http(s)://..., \
                traccar+http(s)://..., homeassistant+http(s)://... Repeat for several.
                """),
            .init(
                "destination-file", "FILE", .files,
                """
                Report to the servers in this file, one in each line, which other users cannot read. Repeat for \
                several.
                """),
            .init("configured", "NAME", "Read the other options from the section [fleet.NAME] of sextant.toml."),
            .init("config", "FILE", .files, "Read the section from this file only."),
            .init("user", "NAME", "Name of the user in topics (default: sextant)."),
            .init("device", "NAME", "Name of the device in topics (default: the host name)."),
            .init(
                "tolerance", "METRES",
                "Maximum error of the reported track in metres; 0: report every position (default: 25)."),
            .init(
                "accuracy", "ACCURACY",
                "Report positions with this accuracy: full, or reduced to an area of several kilometres without events."
            ),
            .init(
                "quiet-hours", "HOURS",
                "Report nothing in these hours of local time, such as 22:00-06:00; repeat for several."),
            .init(
                "quiet-place", "LAT,LON,RADIUS",
                "Report nothing within RADIUS metres of this place; repeat for several."),
            .init(
                "batch", "SECONDS",
                """
                Send one position in this time alone, and the others together, 10 to 3600 seconds; MQTT only. \
                Servers of OwnTracks do not read these messages (default: send each position alone).
                """),
            .init(
                "keepalive", "SECONDS",
                """
                Send a message after this time without one, 10 to 3600 seconds; MQTT only (default: 300, or that \
                of --batch if it is longer).
                """),
            .init(
                "spread", "SECONDS",
                "Wait up to this time before the first attempt to connect again, 1 to 300 seconds (default: 1)."),
            .init("home-assistant", "Send messages to Home Assistant too; MQTT only. This is the default."),
            .init(
                "no-home-assistant",
                "Send none: brokers that allow only topics of OwnTracks end the connection otherwise."),
            .init("traccar-json", "Send Traccar 6.7 and later its JSON form, instead of that of OsmAnd."),
            .init("monitor", "NAME", "Report the events and the fences of this monitor; repeat for several."),
        ])
}
