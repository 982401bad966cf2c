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

/// Selects the positions that become the home location of a Home Assistant on board: those of a
/// rest, far from the last one.
package struct HomeFollower: Sendable {
    /// The service `homeassistant.set_location` in Home Assistant's REST interface.
    static let path = "/api/services/homeassistant/set_location"
    /// How long the device must have been in one place.
    private static let restTime = Instant.Span.seconds(600)
    /// The size of a place in metres, and the worst accuracy of a position that is used. A reduced
    /// location is worse.
    private static let radius = 200.0
    /// The least distance in metres from the last home. The zone of the home has 100 m.
    private static let distance = 500.0

    private var home: Coordinate?
    private var held: (sequence: Int64, point: FleetPoint)?
    private var place: (point: Coordinate, since: Instant)?
    private var isSending = false
    /// The time of the newest position: an older one from the outbox says nothing about now.
    private var newest: UTCTime?

    /// Creates a follower that knows no home: the first rest sets it.
    package init() {}

    /// When ``due(at:)`` returns a position; nil while there is none.
    package var deadline: Instant? {
        held == nil || isSending ? nil : place.map { $0.since + HomeFollower.restTime }
    }

    /// Takes a record. Returns the records that are not needed: an event, and each position before
    /// the newest.
    package mutating func add(_ record: FleetRecord, at now: Instant) -> [Int64] {
        guard case .point(let point) = record.content, let accuracy = point.accuracy, accuracy <= HomeFollower.radius,
            !isSending, newest.map({ $0 <= point.time }) ?? true
        else { return [record.sequence] }
        newest = point.time
        let done = held.map { $0.sequence == record.sequence ? [] : [$0.sequence] } ?? []
        if place.map({ $0.point.distance(to: point.coordinate) > HomeFollower.radius }) ?? true {
            place = (point.coordinate, now)
        }
        guard home.map({ $0.distance(to: point.coordinate) >= HomeFollower.distance }) ?? true else {
            held = nil
            return done + [record.sequence]
        }
        held = (record.sequence, point)
        return done
    }

    /// Returns the position to send, once.
    package mutating func due(at now: Instant) -> (sequence: Int64, point: FleetPoint)? {
        guard let deadline, now >= deadline else { return nil }
        isSending = true
        return held
    }

    /// Takes the result. A position that was not accepted comes again from the outbox.
    package mutating func finish(isAccepted: Bool) {
        if isAccepted, let held { home = held.point.coordinate }
        held = nil
        isSending = false
    }

    /// The parameters of the service.
    package static func body(_ point: FleetPoint) -> JSONValue {
        var members: [String: JSONValue] = [
            "latitude": .double(OwnTracks.degrees(point.coordinate.latitude)),
            "longitude": .double(OwnTracks.degrees(point.coordinate.longitude)),
        ]
        if let altitude = point.altitude { members["elevation"] = .int(Int64(altitude.rounded())) }
        return .object(members)
    }
}
