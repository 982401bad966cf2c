import Chronology
import Geofencing
import Locator
import Positioning

/// One line of `sextant replay --emit events`: an event of a condition. Unknown values are absent.
package struct EventLine: Codable, Sendable, Equatable {
    /// The identifier of the condition.
    package var identifier: String
    /// The kind of event: "determined", "entered", "left", "dwelt", "retracted" or "expired".
    package var kind: String
    /// The state after the event: "satisfied" (inside), "unsatisfied" (outside), "unknown" or
    /// "unmonitored".
    package var state: String
    /// The time of the event, RFC 3339 in UTC. For a crossing, the moment on the boundary. Absent
    /// until a receiver reports the date.
    package var date: String?
    /// The position that caused the event. Absent if no position caused it.
    package var location: LocationMessage?
    /// The distance from that position to the boundary in metres, positive inside.
    package var margin: Double?

    /// Creates the line for an event of the condition `identifier`, determined from fixes of
    /// `receiver`.
    package init(_ event: ConditionEvent, identifier: String, receiver: String) {
        self.identifier = identifier
        kind = event.kind.rawValue
        state = event.state.rawValue
        date = event.date?.description
        location = event.location.flatMap { LocationMessage(Location(fix: $0, receiver: receiver)) }
        margin = WireRounding.thousandths(event.margin)
    }
}
