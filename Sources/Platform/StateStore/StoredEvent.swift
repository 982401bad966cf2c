import Chronology
import Geofencing

/// An event on disk.
package struct StoredEvent: Sendable, Equatable {
    /// The number for acknowledging the event: 1 or more, increasing within a monitor, never
    /// reused.
    package var sequence: Int64
    /// The program's name for the condition.
    package var identifier: String
    /// The event.
    package var event: ConditionEvent
    /// When the event was recorded, in the host's time.
    package var recorded: UTCTime
    /// The number of preceding events of the condition that were folded
    /// (``EventStore/maxPending``).
    package var folded: Int

    /// Creates a stored event.
    package init(sequence: Int64, identifier: String, event: ConditionEvent, recorded: UTCTime, folded: Int = 0) {
        self.sequence = sequence
        self.identifier = identifier
        self.event = event
        self.recorded = recorded
        self.folded = folded
    }
}
