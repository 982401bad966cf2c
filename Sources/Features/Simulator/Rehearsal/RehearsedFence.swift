import Geofencing

/// A fence that the rehearsal watches, with its name.
package struct RehearsedFence: Sendable, Equatable {
    /// The name of the fence in the output.
    package var identifier: String
    /// The watched condition.
    package var condition: FenceCondition

    /// Creates a fence with this name.
    package init(identifier: String, condition: FenceCondition) {
        (self.identifier, self.condition) = (identifier, condition)
    }
}

/// A fence event compared with the truth, or a crossing without an event.
package struct FenceResult: Sendable, Equatable, Codable {
    /// The result of the comparison.
    package enum Verdict: String, Sendable, Codable {
        /// The event was correct.
        case right
        /// The event was wrong.
        case wrong
        /// A true crossing had no event.
        case missed
        /// The event concerned a shallow crossing or no crossing; it does not count.
        case notScored = "unjudged"
    }

    /// The name of the fence.
    package var identifier: String
    /// The kind of the published or missing event: "entered", "left" and so on, see
    /// `ConditionEvent.Kind`.
    package var kind: String
    /// The state of the fence after the event.
    package var state: String
    /// The result of the comparison with the truth.
    package var verdict: Verdict
    /// When the device was truly on the boundary, RFC 3339. Absent if there is no such crossing.
    package var crossed: String?
    /// When the daemon published the event, RFC 3339. Absent if it did not.
    package var published: String?
    /// The date in the event, RFC 3339.
    package var date: String?
    /// Seconds from the crossing to the event.
    package var delay: Double?

    private enum CodingKeys: String, CodingKey {
        case identifier, kind, state, verdict, crossed, date, delay
        case published = "told"
    }

    init(identifier: String, kind: ConditionEvent.Kind, state: ConditionState, verdict: Verdict) {
        self.identifier = identifier
        self.kind = kind.rawValue
        self.state = state.rawValue
        self.verdict = verdict
    }
}
