import Chronology
import Geodesy
import Varlink

/// The messages of Home Assistant's MQTT discovery
/// (https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload).
package struct HomeAssistant: Sendable {
    private let device: String
    private let name: String
    private let statusTopic: String
    private static let statusTemplate = "{{ 'offline' if value_json._type == 'lwt' else 'online' }}"

    /// Creates the messages of a device.
    ///
    /// - Parameters:
    ///   - device: The identifier. Other characters than letters, digits, "-" and "_" are replaced.
    ///   - statusTopic: The topic of positions and of the will. A connection has only one will,
    ///     that of OwnTracks: a device is offline while its last retained message is the will.
    package init(device: String, name: String, statusTopic: String) {
        self.statusTopic = statusTopic
        self.device = String(device.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "_" })
        self.name = name
    }

    /// The topic of the retained description.
    package var configurationTopic: String { "homeassistant/device/sextant_\(device)/config" }
    /// The topic of "online", retained, for programs that do not know OwnTracks' will.
    package var availabilityTopic: String { "sextant/\(device)/availability" }
    /// The topic of the newest position, retained.
    package var attributesTopic: String { "sextant/\(device)/attributes" }

    /// The description of the device. It has no `state_topic` for the tracker, which Home Assistant
    /// removes in 2027.1.
    package func configuration(version: String) -> JSONValue {
        let identifier = JSONValue.string("sextant_\(device)")
        return [
            "dev": ["ids": identifier, "name": .string(name), "mf": "Sextant", "sw": .string(version)],
            "o": ["name": "sextant-fleet", "sw": .string(version)],
            "availability": [
                ["topic": .string(availabilityTopic)],
                ["topic": .string(statusTopic), "value_template": .string(HomeAssistant.statusTemplate)],
            ],
            "availability_mode": "all",
            "cmps": [
                "location": [
                    "p": "device_tracker", "unique_id": .string("sextant_\(device)_location"),
                    "json_attributes_topic": .string(attributesTopic), "source_type": "gps",
                ]
            ],
        ]
    }

    /// The attributes of the newest position.
    package func attributes(_ point: FleetPoint) -> JSONValue {
        var members: [String: JSONValue] = [
            "latitude": .double(OwnTracks.degrees(point.coordinate.latitude)),
            "longitude": .double(OwnTracks.degrees(point.coordinate.longitude)),
            "gps_accuracy": .int(point.roundedAccuracy), "timestamp": .string(point.time.description),
        ]
        if let altitude = point.altitude { members["altitude"] = .double(altitude.rounded()) }
        if let speed = point.speed { members["speed"] = .double((speed * 10).rounded() / 10) }
        if let course = point.course { members["course"] = .double(course.rounded()) }
        return .object(members)
    }
}
