import Chronology
import Geodesy
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
    /// When the event happened, in the receivers' time. For a crossing, this is the time on the
    /// boundary, between two fixes. Nil until a receiver reports a date.
    public var date: UTCTime?
    /// The fix that decided the event; nil if none did (``Kind/expired``).
    public var location: Fix?
    /// The distance in metres from that fix to the boundary, positive inside.
    public var margin: Double?

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
