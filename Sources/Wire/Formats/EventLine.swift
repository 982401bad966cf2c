import Chronology
import Delivery
import Geofencing
import Positioning

/// One line of `sextant replay --emit events`: something that became so of a condition. Unknown values are absent.
public struct EventLine: Codable, Sendable, Equatable {
    /// What the condition is called.
    public var identifier: String
    /// What has happened: "determined", "entered", "left", "dwelt", "retracted" or "expired".
    public var kind: String
    /// How it stands from then on: "satisfied" (inside), "unsatisfied" (outside), "unknown" or "unmonitored".
    public var state: String
    /// When it became so, RFC 3339 in UTC: for a crossing the moment on the boundary. Absent while no receiver has told the date.
    public var date: String?
    /// The position that decided it. Absent where none did.
    public var location: LocationMessage?
    /// Metres from that position to the boundary, positive inside.
    public var margin: Double?

    /// The line of an event of that condition, by that receiver.
    public init(_ event: ConditionEvent, identifier: String, receiver: String) {
        self.identifier = identifier
        kind = event.kind.rawValue
        state = event.state.rawValue
        date = event.date?.description
        location = event.location.flatMap { LocationMessage(Location(fix: $0, receiver: receiver)) }
        margin = Rounded.fine(event.margin)
    }
}
