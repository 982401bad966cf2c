import Chronology
import Delivery
import Geofencing
import Positioning

/// A receiver, as the edge and the core name it to each other.
public struct ReceiverID: Sendable, Hashable {
    /// Chosen by the edge, unique for the life of the process.
    public var rawValue: Int
    /// The receiver of that number.
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// A stream or a waiting question, as the edge and the core name it to each other.
public struct StreamID: Sendable, Hashable {
    /// Chosen by the edge, unique for the life of the process.
    public var rawValue: Int
    /// The stream of that number.
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// What the core wants done. Effects never call back.
public enum Effect: Sendable, Equatable {
    /// An epoch is over: its one fix, with or without a position.
    case epoch(ReceiverID, Fix)
    /// These streams are told the same thing.
    case publish(Update, [StreamID])
    /// A question for the position once: `age` is how long ago its epoch ended.
    case answer(StreamID, Location, age: Instant.Span)
    /// A question that found no position in time.
    case refuse(StreamID, Unavailability)
    /// These conditions stand otherwise than before, in order of time. They are written down before anyone is told.
    case crossed([ConditionEvent])
    /// Somebody has come to a place and stays, or has left it; nil, to who has just asked: no visit is known of.
    case visit(Visit?, [StreamID])
    /// What this receiver is to do from now on.
    case plan(ReceiverID, ReceiverPlan)
    /// How soon its bytes are wanted from now on.
    case pace(ReceiverID, ReadPace)
    /// Something that `io.sextant.Receiver.Watch` shows has changed.
    case receiverChanged(ReceiverID)
}
