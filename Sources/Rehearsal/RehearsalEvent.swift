import Chronology
import Delivery
public import Geofencing
import Locator

/// Something a rehearsal shows.
public struct RehearsalEvent: Sendable, Equatable {
    /// What has happened.
    public enum Kind: Sendable, Equatable {
        /// These streams, counted from 0 in the order they were asked for, were told this.
        case update(Update, streams: [Int])
        /// Something has become so of a fence, counted from 0.
        case crossing(ConditionEvent, fence: Int)
        /// The receiver is to do this from now on.
        case plan(ReceiverPlan)
    }

    /// When, since the start.
    public var at: Instant.Span
    /// What.
    public var kind: Kind

    /// An event.
    public init(at: Instant.Span, _ kind: Kind) {
        (self.at, self.kind) = (at, kind)
    }
}
