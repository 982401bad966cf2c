import Chronology

/// A first determination of a state that agrees with the assumed state.
///
/// It is not an event. The caller saves it, so that a change while the daemon is not running counts
/// as a crossing.
public struct ConditionDetermination: Sendable, Equatable {
    /// The condition.
    public var condition: ConditionID
    /// The state to save.
    public var snapshot: ConditionSnapshot
    /// The time of the deciding fix, in the receiver's time; nil while no date is known.
    public var date: UTCTime?

    /// Creates a determination.
    public init(of condition: ConditionID, snapshot: ConditionSnapshot, date: UTCTime? = nil) {
        self.condition = condition
        self.snapshot = snapshot
        self.date = date
    }
}
