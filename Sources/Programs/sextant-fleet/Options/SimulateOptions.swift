import ServiceRuntime
import Settings
import Wire

/// The options of `sextant-fleet simulate`.
struct SimulateOptions: ProgramRole, Equatable {
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

    mutating func set(_ option: String, to value: String) throws(UsageError) {
        switch option {
        case "devices": devices = try OptionValue.integer(value, 1...5000, of: option)
        case "gpx": gpx = try OptionValue.path(value, of: option)
        case "destination": destination = value
        case "state": state = try OptionValue.path(value, of: option)
        case "seconds": seconds = try OptionValue.integer(value, 1...86_400, of: option)
        case "event-interval": eventInterval = try OptionValue.integer(value, 1...3600, of: option)
        case "tolerance":
            tolerance = try OptionValue.number(value, SubscribeParameters.toleranceRange, "metres", of: option)
        case "batch": batch = try OptionValue.integer(value, FleetSections.intervals, of: option)
        case "keepalive": keepalive = try OptionValue.integer(value, FleetSections.intervals, of: option)
        case "spread": spread = try OptionValue.integer(value, 0...3600, of: option)
        case "every": every = try OptionValue.integer(value, 1...3600, of: option)
        case "compressed": isCompressed = true
        case "no-home-assistant": hasHomeAssistant = false
        default: isJSON = true
        }
    }

    func run() throws -> CInt { try SimulateCommand(self).run() }

    static let table = OptionTable(
        program: "sextant-fleet", role: "simulate",
        usage: "--state DIR [options]",
        abstract: "Report the positions and events of simulated devices to a broker, and print what arrives.",
        discussion: """
            Each device has its own outbox, connection and track. An observer subscribes to the events. Kill or stop \
            the broker meanwhile: no event is lost. Exit with status 1 if an event is lost or out of order.
            """,
        entries: [
            .init("devices", "COUNT", "Number of devices, 1 to 5000 (default: 100)."),
            .init("gpx", "FOLDER", .folders, "Follow the tracks of the GPX files in this folder."),
            .init("destination", "URL", "Report to this broker: mqtt://HOST:PORT or mqtts://HOST:PORT."),
            .init("state", "DIR", .folders, "Keep the outboxes in this directory."),
            .init("seconds", "SECONDS", "Duration of the simulation (default: 60)."),
            .init("event-interval", "SECONDS", "Time between two events of a device (default: 30)."),
            .init("tolerance", "METRES", "Maximum error of the tracks (default: 25)."),
            .init("batch", "SECONDS", "Send positions in batches, as sextant-fleet does."),
            .init("keepalive", "SECONDS", "Send a message after this time without one, as sextant-fleet does."),
            .init("spread", "SECONDS", "Spread the connections over this time (default: 10)."),
            .init("every", "SECONDS", "Move each device once in this time (default: 1)."),
            .init(
                "compressed",
                "Send one track from its start to its end as fast as the broker acknowledges it, without events. "
                    + "Its times are those of the file."),
            .init("no-home-assistant", "Send no messages to Home Assistant."),
            .init("json", "Print JSON."),
        ])
}
