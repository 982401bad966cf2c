import Chronology
import Geofencing

/// An event that is on disk.
public struct StoredEvent: Sendable, Equatable {
    /// What it is acknowledged by: 1 or more, greater than that of every earlier event of the same monitor, never used twice.
    public var sequence: Int64
    /// The program's name for its condition.
    public var identifier: String
    /// What has happened.
    public var event: ConditionEvent
    /// When it was written down, by the host's clock.
    public var recorded: UTCTime
    /// Events of this condition directly before it that were folded away (``MonitorStore/mostWaiting``).
    public var folded: Int

    /// An event.
    public init(sequence: Int64, identifier: String, event: ConditionEvent, recorded: UTCTime, folded: Int = 0) {
        (self.sequence, self.identifier, self.event, self.recorded, self.folded) = (sequence, identifier, event, recorded, folded)
    }
}
