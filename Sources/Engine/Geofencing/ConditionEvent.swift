import Chronology
import Positioning

@_exported import enum SextantAPI.ConditionEventKind

/// An event of a condition. The daemon records it before publishing it.
public struct ConditionEvent: Sendable, Equatable {
    /// The kind of event.
    public typealias Kind = ConditionEventKind

    /// The condition.
    public var condition: ConditionID
    /// The kind of event.
    public var kind: Kind
    /// The state of the condition after the event.
    public var state: ConditionState
    /// When the event happened, in the receivers' time; for beacons, in the host's. For a crossing,
    /// this is the time on the boundary, between two fixes. Nil until a receiver reports a date.
    public var date: UTCTime?
    /// The fix that decided the event; nil if none did (``Kind/expired``).
    public var location: Fix?
    /// The distance in metres from that fix to the boundary, positive inside.
    public var margin: Double?
    /// The beacon of the entry; nil for other conditions.
    public var beacon: BeaconIdentity?

    /// Creates an event.
    public init(
        _ condition: ConditionID, kind: Kind, state: ConditionState, date: UTCTime? = nil, location: Fix? = nil,
        margin: Double? = nil
    ) {
        self.condition = condition
        self.kind = kind
        self.state = state
        self.date = date
        self.location = location
        self.margin = margin
    }
}

/// The result of an evaluation: a ``ConditionEvent`` without the condition and the fix.
public struct ConditionOutcome: Sendable, Equatable {
    /// The kind of event.
    public var kind: ConditionEvent.Kind
    /// The state of the condition after the event.
    public var state: ConditionState
    /// When the event happened, in the receiver's time; nil while no date is known.
    public var date: UTCTime?
    /// The distance in metres from the deciding position to the boundary, positive inside; nil if
    /// no position decided.
    public var margin: Double?

    /// Creates an outcome.
    public init(_ kind: ConditionEvent.Kind, state: ConditionState, date: UTCTime?, margin: Double? = nil) {
        self.kind = kind
        self.state = state
        self.date = date
        self.margin = margin
    }
}

/// The outcomes of one epoch or one timer for a condition: at most two, in order, and nearly always
/// none. Needs no allocation.
public struct ConditionOutcomes: Sendable, Equatable {
    /// The first outcome.
    public var first: ConditionOutcome?
    /// The second outcome.
    public var second: ConditionOutcome?

    /// No outcomes.
    public static let none = ConditionOutcomes()

    /// Creates a list of at most two outcomes.
    public init(_ first: ConditionOutcome? = nil, _ second: ConditionOutcome? = nil) {
        (self.first, self.second) = first == nil ? (second, nil) : (first, second)
    }

    /// Whether there are no outcomes.
    public var isEmpty: Bool { first == nil }

    mutating func append(_ outcome: ConditionOutcome?) {
        if first == nil { first = outcome } else if second == nil { second = outcome }
    }
}
