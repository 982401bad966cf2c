import Chronology
import Geodesy
public import Geofencing
public import Positioning
public import Varlink

/// `io.sextant.Monitor`, type `Place`.
public struct PlaceMessage: Codable, Sendable, Equatable {
    /// UTC of its epoch. Absent while the receiver had not told the date.
    public var timestamp: String?
    /// Degrees north, WGS-84.
    public var latitude: Double
    /// Degrees east, WGS-84.
    public var longitude: Double
    /// Metres, 68 %.
    public var horizontalAccuracy: Double
    /// Name of the receiver. Absent where it is not known any more.
    public var receiver: String?

    /// The place of a fix; nil where it has no position.
    public init?(_ fix: Fix, receiver: String? = nil) {
        guard let coordinate = fix.coordinate, let accuracy = fix.horizontalAccuracy else { return nil }
        timestamp = fix.time?.description
        latitude = Rounded.angle(coordinate.latitude)
        longitude = Rounded.angle(coordinate.longitude)
        horizontalAccuracy = Rounded.fine(accuracy)
        self.receiver = receiver
    }
}

/// `io.sextant.Monitor`, type `Event`.
public struct EventMessage: Codable, Sendable, Equatable {
    /// To acknowledge it by.
    public var id: Int
    /// The condition.
    public var identifier: String
    /// What has happened.
    public var kind: ConditionEvent.Kind
    /// How the condition stands from then on.
    public var state: ConditionState
    /// When it became so, by the receiver's time.
    public var date: String?
    /// When it was found out, by the host's clock.
    public var recorded: String
    /// The position that decided it. Absent where none did.
    public var location: PlaceMessage?
    /// Metres from that position to the boundary, positive inside.
    public var margin: Double?
    /// Earlier events of this condition that it has taken the place of.
    public var folded: Int
    /// The condition's own metadata.
    public var metadata: [String: JSONValue]?

    /// An event of that number of a condition of that identifier.
    public init(id: Int, identifier: String, kind: ConditionEvent.Kind, state: ConditionState, recorded: String, folded: Int = 0) {
        (self.id, self.identifier, self.kind, self.state) = (id, identifier, kind, state)
        (self.recorded, self.folded) = (recorded, folded)
    }
}
