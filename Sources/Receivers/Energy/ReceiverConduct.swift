import Chronology

/// What a receiver does, and for whom.
public struct ReceiverConduct: Sendable, Equatable {
    /// Its name, as clients know it.
    public var receiver: String
    /// What it is about.
    public var state: PowerState
    /// Those who need it so.
    public var needs: [PowerNeed]
    /// What it is; ``ReceiverChip/generic`` until that is known.
    public var chip: ReceiverChip

    /// A receiver in a state.
    public init(_ receiver: String, _ state: PowerState, _ needs: [PowerNeed] = [], chip: ReceiverChip = .generic) {
        (self.receiver, self.state, self.needs, self.chip) = (receiver, state, needs, chip)
    }

    /// Whether nothing has changed that energy or shares depend on. What is learned of the chip holds for the time before as well.
    func goesOn(as other: ReceiverConduct) -> Bool { state == other.state && needs == other.needs }
}

/// A time in which a receiver did one thing for the same consumers.
public struct PowerStretch: Sendable, Equatable {
    /// What it did.
    public var conduct: ReceiverConduct
    /// For how long.
    public var span: Instant.Span

    /// A stretch.
    public init(_ conduct: ReceiverConduct, _ span: Instant.Span) {
        (self.conduct, self.span) = (conduct, span)
    }
}
