import Chronology
import Geofencing

/// A condition that a program adds.
package struct NewCondition: Sendable, Equatable {
    /// The program's name for the condition, unique in the monitor.
    package var identifier: String
    package var condition: FenceCondition
    /// The program's own JSON text, which is not interpreted; at most ``MonitorStore/maxMetadata``
    /// bytes.
    package var metadata: String?

    package init(_ identifier: String, _ condition: FenceCondition, metadata: String? = nil) {
        self.identifier = identifier
        self.condition = condition
        self.metadata = metadata
    }
}

/// The result of adding a condition.
package enum AdditionResult: Sendable, Equatable {
    /// The condition is new.
    case added(ConditionID)
    /// The condition replaces another with the same identifier, whose state and pending events are
    /// dropped. It takes over the ordinal of the old condition, unless that has expired.
    case replaced(ConditionID, ConditionID)
    /// An equal condition exists; its state and pending events are kept. Only its metadata may have
    /// changed.
    case unchanged(ConditionID)

    /// The identifier of the current condition.
    package var id: ConditionID {
        switch self {
        case .added(let id), .unchanged(let id), .replaced(_, let id): id
        }
    }
}

/// The saved state of a condition.
package struct StoredConditionState: Sendable, Equatable {
    /// The state; `unknown` until it is determined.
    package var state: ConditionState
    /// When the state began, in the receivers' time.
    package var since: UTCTime?
    /// Whether the dwell event of this stay was published.
    package var hasDwelt: Bool

    /// Creates a saved state.
    package init(state: ConditionState = .unknown, since: UTCTime? = nil, hasDwelt: Bool = false) {
        self.state = state
        self.since = since
        self.hasDwelt = hasDwelt
    }
}

/// All stored data of a condition.
package struct StoredCondition: Sendable, Equatable {
    package var id: ConditionID
    /// The ordinal among the conditions of the program.
    package var ordinal: ConditionOrdinal
    package var added: NewCondition
    /// When the program added it, by the host's clock; `nil` if an earlier version stored it.
    package var date: UTCTime?
    package var snapshot: StoredConditionState
    package var lastAcknowledged: StoredEvent?
    package var nextEvent: StoredEvent?
    /// The number of pending events that the record does not list.
    package var furtherPending: Int
}
