import Chronology
import Geofencing

/// A condition, as a program has it added.
public struct NewCondition: Sendable, Equatable {
    /// The program's name for it, unique in the monitor.
    public var identifier: String
    /// What it wants to be told of.
    public var condition: Condition
    /// The program's own, JSON text that is not looked into; at most ``MonitorStore/mostMetadata`` bytes.
    public var metadata: String?

    /// A condition to be added.
    public init(_ identifier: String, _ condition: Condition, metadata: String? = nil) {
        (self.identifier, self.condition, self.metadata) = (identifier, condition, metadata)
    }
}

/// What adding a condition has done.
public enum Addition: Sendable, Equatable {
    /// It is new.
    case added(ConditionID)
    /// Another of this identifier was there; that, what was known of it and what waited of it are gone.
    case replaced(ConditionID, ConditionID)
    /// The same was there already, and what is known and waits of it stays; at most its metadata are others.
    case kept(ConditionID)

    /// The condition that is there now.
    public var id: ConditionID {
        switch self {
        case .added(let id), .kept(let id), .replaced(_, let id): id
        }
    }
}

/// How a condition stood when that was last written down.
public struct StoredStanding: Sendable, Equatable {
    /// Unknown until it is determined.
    public var state: ConditionState
    /// Since when, by the receivers' time.
    public var since: UTCTime?
    /// Whether its dwelling has been told of since the device came in.
    public var hasDwelt: Bool

    /// A standing.
    public init(state: ConditionState = .unknown, since: UTCTime? = nil, hasDwelt: Bool = false) {
        (self.state, self.since, self.hasDwelt) = (state, since, hasDwelt)
    }
}

/// A condition to be watched: what the core has to know of it.
public struct WatchedCondition: Sendable, Equatable {
    /// Its row.
    public var id: ConditionID
    /// Where it belongs.
    public var monitor: MonitorID
    /// What is to be told.
    public var condition: Condition
    /// How it stood.
    public var standing: StoredStanding
}

/// Everything that is kept of a condition.
public struct ConditionRecord: Sendable, Equatable {
    /// Its row.
    public var id: ConditionID
    /// As it was added.
    public var added: NewCondition
    /// How it stood when that was last written down.
    public var standing: StoredStanding
    /// The last event that was acknowledged.
    public var lastHandled: StoredEvent?
    /// The event that is to be acknowledged next.
    public var outstanding: StoredEvent?
    /// Events behind that one.
    public var waiting: Int
}
