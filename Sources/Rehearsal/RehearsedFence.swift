public import Geofencing

/// A condition that is watched all day, and what it is called.
public struct RehearsedFence: Sendable, Equatable {
    /// Its name in what is told.
    public var identifier: String
    /// What is watched.
    public var condition: Condition

    /// A condition of that name.
    public init(identifier: String, condition: Condition) {
        (self.identifier, self.condition) = (identifier, condition)
    }
}

/// An event of a fence held against the truth, or a crossing that no event told of.
public struct FenceAccount: Sendable, Equatable, Codable {
    /// What it was.
    public enum Verdict: String, Sendable, Codable {
        /// It was so.
        case right
        /// It was not so, and somebody was told.
        case wrong
        /// It was so, and nobody was told.
        case missed
        /// Told of something that is no more than a step over the boundary, or of no crossing: counted neither way.
        case unjudged
    }

    /// What the fence is called.
    public var identifier: String
    /// What was told, or should have been: "entered", "left" and so on, see `ConditionEvent.Kind`.
    public var kind: String
    /// How the fence stood from then on.
    public var state: String
    /// Held against the truth.
    public var verdict: Verdict
    /// When the device was truly on the boundary, RFC 3339. Absent where there is no such crossing.
    public var crossed: String?
    /// When the daemon told, RFC 3339. Absent where it did not.
    public var told: String?
    /// The moment that it gave for it, RFC 3339.
    public var date: String?
    /// Seconds from the crossing to the telling.
    public var delay: Double?

    init(identifier: String, kind: ConditionEvent.Kind, state: ConditionState, verdict: Verdict) {
        (self.identifier, self.kind, self.state, self.verdict) = (identifier, kind.rawValue, state.rawValue, verdict)
    }
}
