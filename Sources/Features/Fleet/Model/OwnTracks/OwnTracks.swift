import Chronology
import Geodesy
import Varlink

/// The messages of OwnTracks (https://owntracks.org/booklet/tech/json/).
package struct OwnTracks: Sendable, Equatable {
    /// Why a position is sent (member `t`).
    package enum Trigger: String, Sendable {
        /// The server requested it.
        case requested = "r"
        /// The device reports that it is alive.
        case ping = "p"
    }

    /// The name of the user, the second part of each topic.
    package let user: String
    /// The name of the device, the third part of each topic.
    package let device: String

    /// Creates the messages of a device. The Recorder stores names in lower case.
    package init(user: String, device: String) { (self.user, self.device) = (user.lowercased(), device.lowercased()) }

    /// The two letters that maps show: the last two of the device's name.
    package var trackerID: String { String(device.suffix(2)) }

    package var topic: String { "owntracks/\(user)/\(device)" }
    package var eventTopic: String { "\(topic)/event" }
    package var commandTopic: String { "\(topic)/cmd" }
    /// The topic of answers to commands.
    package var statusTopic: String { "\(topic)/status" }
    /// The topic of the list of fences.
    package var waypointsTopic: String { "\(topic)/waypoints" }
    package var infoTopic: String { "\(topic)/info" }

    /// Returns the message `location`. Members that are 0 are left out, as the applications do.
    ///
    /// - Parameters:
    ///   - sequence: The number of the record, as `_id`.
    ///   - state: The state of the device: a present position has battery, network and fences,
    ///     another one the time of the message.
    ///   - trigger: The reason; nil: automatic.
    ///   - topic: The topic as a member, which HTTP needs; nil: none.
    package func location(
        _ point: FleetPoint, sequence: Int64, of state: DeviceState = DeviceState(), trigger: Trigger? = nil,
        topic: String? = nil
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "_type": "location", "_id": .string(String(sequence)),
            "lat": .double(OwnTracks.degrees(point.coordinate.latitude)),
            "lon": .double(OwnTracks.degrees(point.coordinate.longitude)),
            "tst": .int(point.seconds), "tid": .string(trackerID), "acc": .int(point.roundedAccuracy),
        ]
        func put(_ name: String, _ value: Double?) {
            if let value, value.isFinite, abs(value) < 1e9, value.rounded() != 0 {
                members[name] = .int(Int64(value.rounded()))
            }
        }
        put("alt", point.altitude)
        // As the horizontal one, it is never stated better than it is.
        if point.altitude != nil { put("vac", point.verticalAccuracy?.rounded(.up)) }
        put("vel", point.speed.map { $0 * 3.6 })
        put("cog", point.course)
        if let mode = state.mode { members["m"] = .int(mode.rawValue) }
        if let trigger { members["t"] = .string(trigger.rawValue) }
        if let topic { members["topic"] = .string(topic) }
        if let time = state.time, !state.isPresent(point) { members["created_at"] = .int(time.wholeSeconds) }
        if let battery = state.battery(at: point) {
            members["batt"] = .int(battery.level)
            members["bs"] = .int(battery.state.rawValue)
        }
        if state.isPresent(point) {
            if let network = state.network { members["conn"] = .string(network.rawValue) }
            if !state.fences.isEmpty {
                members["inregions"] = .array(state.fences.map { .string($0.identifier) })
                members["inrids"] = .array(state.fences.map { .string($0.regionID) })
            }
        }
        return .object(members)
    }

    /// Returns the message `transition`.
    package func transition(_ event: FleetEvent, sequence: Int64, topic: String? = nil) -> JSONValue {
        var members: [String: JSONValue] = [
            "_type": "transition", "_id": .string(String(sequence)), "event": .string(event.kind.rawValue),
            "desc": .string(event.identifier), "tst": .int(event.time.wholeSeconds),
            "wtst": .int(event.fenceCreated ?? 0), "t": "c", "tid": .string(trackerID),
            "rid": .string(FenceName(event.identifier, of: event.monitor).regionID),
            "acc": .int(event.point?.roundedAccuracy ?? FleetPoint.unknownAccuracy),
        ]
        if let place = event.place {
            members["lat"] = .double(OwnTracks.degrees(place.latitude))
            members["lon"] = .double(OwnTracks.degrees(place.longitude))
        }
        if let topic { members["topic"] = .string(topic) }
        return .object(members)
    }

    /// Returns the message `lwt`, the will of a connection.
    ///
    /// - Parameter time: UTC of the connection.
    package func will(at time: UTCTime) -> JSONValue { ["_type": "lwt", "tst": .int(time.wholeSeconds)] }

    /// Returns the message `card`, the name of the device on maps.
    package func card(name: String) -> JSONValue {
        ["_type": "card", "name": .string(name), "tid": .string(trackerID)]
    }

    /// Rounds degrees to 7 decimals, 1 cm.
    static func degrees(_ value: Double) -> Double { (value * 1e7).rounded() / 1e7 }
}

/// The message `track` of Sextant: several positions at once. OwnTracks has none.
extension OwnTracks {
    /// The maximum number of positions in a message: some 3 kB.
    package static let maxTrackCount = 100

    /// The topic of positions in batches.
    package var trackTopic: String { "\(topic)/track" }

    /// Returns the message `track`. Each entry of `points` has the members `_id`, `tst`, `lat`,
    /// `lon`, `acc`, `alt`, `vel` and `cog` of a `location`, in this order.
    ///
    /// Latitude and longitude are in units of 1e-7 degrees. From the second entry on, the first
    /// four are differences to the entry before. An unknown member is null.
    package func track(_ points: [(sequence: Int64, point: FleetPoint)]) -> JSONValue {
        var previous: [Int64] = [0, 0, 0, 0]
        var rows: [JSONValue] = []
        for (sequence, point) in points {
            let present = [
                sequence, point.seconds, OwnTracks.units(point.coordinate.latitude),
                OwnTracks.units(point.coordinate.longitude),
            ]
            // Only a damaged outbox has numbers so far apart that this wraps.
            let differences = zip(present, previous).map { JSONValue.int($0 &- $1) }
            let others = [
                .int(point.roundedAccuracy), OwnTracks.whole(point.altitude),
                OwnTracks.whole(point.speed.map { $0 * 3.6 }), OwnTracks.whole(point.course),
            ]
            rows.append(.array(differences + others))
            previous = present
        }
        return ["_type": "track", "tid": .string(trackerID), "points": .array(rows)]
    }

    private static func units(_ degrees: Double) -> Int64 { Int64((degrees * 1e7).rounded()) }

    private static func whole(_ value: Double?) -> JSONValue {
        guard let value, value.isFinite, abs(value) < 1e9 else { return .null }
        return .int(Int64(value.rounded()))
    }
}
