import Settings
import Wire

/// The options of `sextant-fleet simulate`.
struct SimulateOptions: Equatable {
    var devices = 100
    var gpx: String?
    var destination = "mqtt://127.0.0.1:1883"
    /// The directory of the outboxes.
    var state: String?
    var seconds = 60
    var eventInterval = 30
    var tolerance = 25.0
    var batch: Int?
    var keepalive: Int?
    var spread = 10
    /// The seconds between two positions of a device.
    var every = 1
    var isCompressed = false
    var hasHomeAssistant = true
    var isJSON = false

    /// Sets the option with a code of ``table``.
    mutating func set(_ code: Character, _ value: String) throws(UsageError) {
        switch code {
        case "n": devices = try OptionValue.integer(value, 1...5000, of: "--devices")
        case "g": gpx = try OptionValue.path(value, of: "--gpx")
        case "d": destination = value
        case "s": state = try OptionValue.path(value, of: "--state")
        case "S": seconds = try OptionValue.integer(value, 1...86_400, of: "--seconds")
        case "e": eventInterval = try OptionValue.integer(value, 1...3600, of: "--event-interval")
        case "t": tolerance = try OptionValue.metres(value, SubscribeParameters.toleranceRange, of: "--tolerance")
        case "b": batch = try OptionValue.integer(value, FleetSections.intervals, of: "--batch")
        case "k": keepalive = try OptionValue.integer(value, FleetSections.intervals, of: "--keepalive")
        case "p": spread = try OptionValue.integer(value, 0...3600, of: "--spread")
        case "E": every = try OptionValue.integer(value, 1...3600, of: "--every")
        case "x": isCompressed = true
        case "N": hasHomeAssistant = false
        default: isJSON = true
        }
    }

    /// The options with their texts.
    static let table = OptionTable(
        usage: "sextant-fleet simulate --state DIR [options]",
        abstract: "Report the positions and events of simulated devices to a broker, and print what arrives.",
        discussion: """
            Each device has its own outbox, connection and track. An observer subscribes to the events. Kill or stop \
            the broker meanwhile: no event is lost. Exit with status 1 if an event is lost or out of order.
            """,
        entries: [
            .init("devices", "n", "COUNT", "Number of devices, 1 to 5000 (default: 100)."),
            .init("gpx", "g", "FOLDER", "Follow the tracks of the GPX files in this folder."),
            .init("destination", "d", "URL", "Report to this broker: mqtt://HOST:PORT or mqtts://HOST:PORT."),
            .init("state", "s", "DIR", "Keep the outboxes in this directory."),
            .init("seconds", "S", "SECONDS", "Duration of the simulation (default: 60)."),
            .init("event-interval", "e", "SECONDS", "Time between two events of a device (default: 30)."),
            .init("tolerance", "t", "METRES", "Maximum error of the tracks (default: 25)."),
            .init("batch", "b", "SECONDS", "Send positions in batches, as sextant-fleet does."),
            .init("keepalive", "k", "SECONDS", "Send a message after this time without one, as sextant-fleet does."),
            .init("spread", "p", "SECONDS", "Spread the connections over this time (default: 10)."),
            .init("every", "E", "SECONDS", "Move each device once in this time (default: 1)."),
            .init(
                "compressed", "x",
                "Send one track from its start to its end as fast as the broker acknowledges it, without events. "
                    + "Its times are those of the file."),
            .init("no-home-assistant", "N", "Send no messages to Home Assistant."),
            .init("json", "j", "Print JSON."),
        ])
}
