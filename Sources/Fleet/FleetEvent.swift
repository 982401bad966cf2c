import Chronology
import Geodesy
import Varlink

/// An event of a fence that is reported to servers.
public struct FleetEvent: Sendable, Equatable {
    /// Whether the device entered or left.
    public enum Kind: String, Sendable { case enter, leave }

    /// What happened.
    public var kind: Kind
    /// The identifier of the fence.
    public var identifier: String
    /// The monitor of the fence.
    public var monitor: String
    /// UTC of the fix that decided the event.
    public var time: UTCTime
    /// The position of that fix; nil if unknown.
    public var place: Coordinate?
    /// R68 in metres; nil if unknown.
    public var accuracy: Double?
    /// The time at which the server created the fence, in seconds since 1970; nil if it did not.
    public var fenceCreated: Int64?

    /// Creates an event.
    public init(
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

    /// The event as a point, for servers that know only points.
    public var point: FleetPoint? {
        place.map { FleetPoint($0, at: time, accuracy: accuracy ?? 65_534) }
    }
}

extension FleetEvent {
    /// The form in the outbox.
    public var stored: [UInt8] {
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
    public init?(stored bytes: [UInt8]) {
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
