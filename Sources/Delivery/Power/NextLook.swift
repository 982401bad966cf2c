import Chronology

/// When somebody who watches boundaries needs the next position: an instant that changes with every fix, beside the ``Demand`` of streams.
///
/// Whoever watches states it anew after each fix, before the planner hears of that fix. Until the instant the device cannot be at a boundary,
/// however fast it goes, and the receiver may sleep: on the way as well as at rest. At rest it need not be looked at even then, for what
/// rests crosses nothing; looks at the distance of ``atRest`` notice that it has set off. Whichever of the two is later decides.
public struct NextLook: Sendable, Equatable {
    /// No fix is needed before: now plus the distance to the nearest boundary, less the error of the fix, over the greatest plausible speed.
    /// One that has passed asks for every fix.
    public var notBefore: Instant
    /// How far apart looks at a resting device may be.
    public var atRest: LookInterval
    /// The last fix has left something undecided, as a crossing that a second fix has to confirm: the receiver goes on, at rest as well,
    /// until this is false.
    public var isOpen: Bool

    /// A need of the next position.
    public init(notBefore: Instant, atRest: LookInterval = .boundaries, isOpen: Bool = false) {
        (self.notBefore, self.atRest, self.isOpen) = (notBefore, atRest, isOpen)
    }
}

extension LookInterval {
    /// For somebody who is told of a boundary within a minute of its crossing: from a kerb, 150 m take 12 s at 13 m/s, and a look that finds
    /// the device gone takes up to 8 s until it is believed.
    public static let boundaries = LookInterval(first: .seconds(30), last: .seconds(50))
}
