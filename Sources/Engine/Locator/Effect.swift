import Chronology
import Geofencing
import Positioning

/// Identifies a receiver between the caller and the core.
public struct ReceiverID: Sendable, Hashable {
    /// A number the caller chooses, unique for the lifetime of the process.
    public var rawValue: Int
    /// Creates an identifier from a number.
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// Identifies a stream, a pending location request or a subscription between the caller and the
/// core.
public struct RequestID: Sendable, Hashable {
    /// A number the caller chooses, unique for the lifetime of the process.
    public var rawValue: Int
    /// Creates an identifier from a number.
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// An action the core requests from its caller. Effects contain no callbacks, and performing one
/// does not change the effects that are already queued.
///
/// One part of the caller performs all effects of a case.
public enum Effect: Sendable, Equatable {
    /// An update of streams, or the end of a location request.
    case request(Request)
    /// A visit began or ended; nil if no visit is in progress.
    case visit(Stay?, [RequestID])
    /// The heading changed, or there is none any more.
    case heading(HeadingUpdate, [RequestID])
    /// A change of a receiver, or an action on its port.
    case receiver(Receiver)
    /// New states of conditions.
    case fence(Fence)

    /// An update of streams, or the end of a location request.
    public enum Request: Sendable, Equatable {
        /// Publish an update to these streams.
        case publish(Update, [RequestID])
        /// Answer a pending location request with a location of this age. `burstAge` is the time
        /// since the first byte of its burst arrived; nil if that was not observed.
        case answer(RequestID, ReceiverFix, age: Instant.Span, burstAge: Instant.Span?)
        /// Reject a location request, because no position was available before its timeout.
        case reject(RequestID, Unavailability)
    }

    /// A change of a receiver, or an action on its port.
    public enum Receiver: Sendable, Equatable {
        /// An epoch is complete. The fix may have no position.
        case epoch(ReceiverID, Fix)
        /// The data that `io.sextant.Receiver.Watch` shows changed by other than an epoch.
        case changed(ReceiverID)
        /// Apply a new plan.
        case plan(ReceiverID, ReceiverPlan)
        /// Read the port by a new policy.
        case readPolicy(ReceiverID, ReadPolicy)
    }

    /// New states of conditions.
    public enum Fence: Sendable, Equatable {
        /// The states of these conditions changed; events are in order of time. The caller records
        /// them before it publishes them.
        case changed([ConditionEvent])
        /// The states of these conditions were determined for the first time and agree with the
        /// assumed ones. There is no event; the caller saves the states.
        case determined([ConditionDetermination])
    }
}
