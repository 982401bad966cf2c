import Chronology
import Geofencing
import Positioning
import SextantAPI
import Varlink

/// One line of `sextant replay --emit events`: an event of a condition. Unknown values are absent.
package struct EventLine: Encodable, Sendable, Equatable {
    /// `identifier`, `kind` and `state` after the event; `date`, `location` and `margin` as in
    /// `Event` of `io.sextant.Monitor`, but with the whole location.
    private var members: [String: JSONValue]

    /// Creates the line for an event of the condition `identifier`, determined from fixes of
    /// `receiver`.
    package init(_ event: ConditionEvent, identifier: String, receiver: String) {
        members = [
            "identifier": .string(identifier), "kind": .string(event.kind.rawValue),
            "state": .string(event.state.rawValue),
        ]
        members["date"] = event.date.map { .string($0.description) }
        let location = event.location.flatMap { Location(ReceiverFix(fix: $0, receiver: receiver)) }
        members["location"] = location.map { .object($0.members) }
        members["margin"] = MessageRounding.thousandths(event.margin).map { .double($0) }
    }

    package func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}
