import Chronology
import Geodesy
import Varlink

/// An event of a fence that is reported to servers.
package struct FleetEvent: Sendable, Equatable {
    /// Whether the device entered or left.
    package enum Kind: String, Sendable {
        /// The device entered the fence.
        case enter
        /// The device left the fence.
        case leave
    }

    package var kind: Kind
    package var identifier: String
    package var monitor: String
    /// UTC of the fix that decided the event.
    package var time: UTCTime
    /// The position of that fix; nil if unknown.
    package var place: Coordinate?
    /// R68 in metres; nil if unknown.
    package var accuracy: Double?
    /// The time at which the server created the fence, in seconds since 1970; nil if it did not.
    package var fenceCreated: Int64?

    package init(
        _ kind: Kind, of identifier: String, in monitor: String, at time: UTCTime, place: Coordinate? = nil,
        accuracy: Double? = nil, fenceCreated: Int64? = nil
    ) {
        self.kind = kind
        self.identifier = identifier
        self.monitor = monitor
        self.time = time
        self.place = place
        self.accuracy = accuracy
        self.fenceCreated = fenceCreated
    }

    /// Identifies the event among those that the daemon repeats.
    package var key: String { "\(monitor)/\(identifier)/\(kind.rawValue)/\(time.milliseconds)" }

    /// The event as a point, for servers that know only points.
    package var point: FleetPoint? {
        place.map { FleetPoint($0, at: time, accuracy: accuracy) }
    }
}

extension FleetEvent {
    /// The form in the outbox.
    package var stored: [UInt8] {
        var members: [String: JSONValue] = [
            "kind": .string(kind.rawValue), "identifier": .string(identifier), "monitor": .string(monitor),
            "time": .int(time.milliseconds),
        ]
        if let place { members["place"] = .array([.double(place.latitude), .double(place.longitude)]) }
        if let accuracy { members["accuracy"] = .double(accuracy) }
        if let fenceCreated { members["fenceCreated"] = .int(fenceCreated) }
        return JSONValue.object(members).bytes
    }

    /// Reads the form in the outbox; nil if the bytes are not one.
    package init?(stored bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: bytes), let kind = value["kind"]?.string.flatMap(Kind.init),
            let identifier = value["identifier"]?.string, let monitor = value["monitor"]?.string,
            let time = value["time"]?.int
        else { return nil }
        self.init(kind, of: identifier, in: monitor, at: UTCTime(milliseconds: time))
        accuracy = value["accuracy"]?.double
        fenceCreated = value["fenceCreated"]?.int
        guard let place = value["place"]?.array, place.count == 2, let latitude = place[0].double,
            let longitude = place[1].double
        else { return }
        self.place = Coordinate(latitude: latitude, longitude: longitude)
    }
}
