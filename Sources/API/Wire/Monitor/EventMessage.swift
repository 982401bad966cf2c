import Chronology
import Geodesy
import Geofencing
import Positioning
import Varlink

/// The type `Place` of `io.sextant.Monitor`.
package struct PlaceMessage: Codable, Sendable, Equatable {
    /// UTC of the epoch. Absent if the receiver had not reported the date.
    package var timestamp: String?
    /// The latitude in degrees north, WGS-84.
    package var latitude: Double
    /// The longitude in degrees east, WGS-84.
    package var longitude: Double
    /// R68 in metres.
    package var horizontalAccuracy: Double
    /// True if the position is simulated. Absent otherwise.
    package var simulated: Bool?
    /// The name of the receiver. Present only for the current position; events do not store it.
    package var receiver: String?

    /// Creates the place of a fix, or nil when the fix has no position.
    package init?(_ fix: Fix, receiver: String? = nil) {
        guard let coordinate = fix.coordinate, let accuracy = fix.horizontalAccuracy else { return nil }
        timestamp = fix.time?.description
        latitude = WireRounding.degrees(coordinate.latitude)
        longitude = WireRounding.degrees(coordinate.longitude)
        horizontalAccuracy = WireRounding.thousandths(accuracy)
        simulated = fix.isSimulated ? true : nil
        self.receiver = receiver
    }
}

/// The type `Event` of `io.sextant.Monitor`.
package struct EventMessage: Codable, Sendable, Equatable {
    /// The number with which the event is acknowledged.
    package var id: Int
    /// The identifier of the condition.
    package var identifier: String
    /// The kind of event.
    package var kind: ConditionEvent.Kind
    /// The state of the condition after the event.
    package var state: ConditionState
    /// The time of the event by the receiver's clock.
    package var date: String?
    /// The time of detection by the host's clock.
    package var recorded: String
    /// The position that caused the event. Absent if no position caused it.
    package var location: PlaceMessage?
    /// The distance from that position to the boundary in metres, positive inside.
    package var margin: Double?
    /// The number of directly preceding events of this condition that were folded because too many
    /// were pending.
    package var folded: Int
    /// The metadata of the condition.
    package var metadata: [String: JSONValue]?

    /// Creates an event of the condition `identifier`.
    package init(
        id: Int, identifier: String, kind: ConditionEvent.Kind, state: ConditionState, recorded: String, folded: Int = 0
    ) {
        self.id = id
        self.identifier = identifier
        self.kind = kind
        self.state = state
        (self.recorded, self.folded) = (recorded, folded)
    }
}
