import Chronology
import Geodesy
import Positioning

/// Something that became so. The edge writes it down before it tells anyone.
public struct ConditionEvent: Sendable, Equatable {
    /// What has happened.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// The state is known for the first time, and it is not what was assumed.
        case determined
        /// The device has come in.
        case entered
        /// The device has gone out.
        case left
        /// The device has been inside for the time asked for.
        case dwelt
        /// The last crossing was none: the position that told of it was wrong.
        case retracted
        /// The condition is not watched any more.
        case expired
    }

    /// Which condition.
    public var condition: ConditionID
    /// What has happened.
    public var kind: Kind
    /// How it stands from now on.
    public var state: ConditionState
    /// When it became so, by the receivers' time: for a crossing the moment on the boundary, between two fixes. Nil while no receiver
    /// has told the date.
    public var date: UTCTime?
    /// The position that decided it; nil where none did (``Kind/expired``).
    public var location: Fix?
    /// Metres from that position to the boundary, positive inside.
    public var margin: Double?

    /// An event.
    public init(
        _ condition: ConditionID, _ kind: Kind, _ state: ConditionState, date: UTCTime? = nil, location: Fix? = nil, margin: Double? = nil
    ) {
        self.condition = condition
        self.kind = kind
        self.state = state
        self.date = date
        self.location = location
        self.margin = margin
    }
}
