import Chronology

/// What has become of a condition; ``ConditionEvent`` without the names.
public struct ConditionOutcome: Sendable, Equatable {
    /// What has happened.
    public var kind: ConditionEvent.Kind
    /// How it stands from now on.
    public var state: ConditionState
    /// When it became so, by the receiver's time; nil while no date is known.
    public var date: UTCTime?
    /// Metres from the deciding position to the boundary, positive inside; nil where no position decided.
    public var margin: Double?

    /// Something that has happened.
    public init(_ kind: ConditionEvent.Kind, _ state: ConditionState, date: UTCTime?, margin: Double? = nil) {
        (self.kind, self.state, self.date, self.margin) = (kind, state, date, margin)
    }
}

/// What one epoch, or time alone, has brought a condition: nothing nearly always, two things at most, in their order. No allocation.
public struct ConditionOutcomes: Sendable, Equatable {
    /// What happened first.
    public var first: ConditionOutcome?
    /// What happened then.
    public var second: ConditionOutcome?

    /// Nothing.
    public static let none = ConditionOutcomes()

    /// Up to two things.
    public init(_ first: ConditionOutcome? = nil, _ second: ConditionOutcome? = nil) {
        (self.first, self.second) = first == nil ? (second, nil) : (first, second)
    }

    /// Whether nothing has happened.
    public var isEmpty: Bool { first == nil }

    mutating func append(_ outcome: ConditionOutcome?) {
        if first == nil { first = outcome } else if second == nil { second = outcome }
    }
}
