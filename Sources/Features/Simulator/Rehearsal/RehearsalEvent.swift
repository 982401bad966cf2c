import Chronology
import Geofencing
import Locator

/// An event of a rehearsal.
package struct RehearsalEvent: Sendable, Equatable {
    /// The kinds of event.
    package enum Kind: Sendable, Equatable {
        /// An update published to these streams. Stream indices count from 0 in the order of the
        /// options.
        case update(Update, streams: [Int])
        /// An event of the fence with this index, from 0.
        case crossing(ConditionEvent, fence: Int)
        /// A new plan for the receiver.
        case plan(ReceiverPlan)
    }

    /// The time since the start.
    package var time: Instant.Span
    /// The kind of event, with its data.
    package var kind: Kind

    /// Creates an event.
    package init(time: Instant.Span, kind: Kind) {
        (self.time, self.kind) = (time, kind)
    }
}
