import Chronology
import Positioning

/// One thing that a stream tells its client.
public struct Update: Sendable, Equatable {
    /// The newest position and who made it; nil when there is none to tell.
    public var location: Location?
    /// Why there is no position now; nil while there is one.
    public var unavailability: Unavailability?
    /// The device rests, and nothing more comes until it moves.
    public var stationary = false
    /// Since when it does, by the receiver's time; nil where it has told no date.
    public var restingSince: UTCTime?
    /// The first position after one that was ``stationary``.
    public var hasSetOff = false

    /// An update that holds neither a position nor a reason.
    public init(location: Location? = nil, unavailability: Unavailability? = nil, stationary: Bool = false, hasSetOff: Bool = false) {
        (self.stationary, self.hasSetOff) = (stationary, hasSetOff)
        self.location = location
        self.unavailability = unavailability
    }

    /// That the device rests: `location` at that place instead, and since when by the clock of its receiver.
    ///
    /// - Parameter now: When the fix of `location` was made.
    public init(_ location: Location, restingAt place: RestingPlace, at now: Instant) {
        self.location = location.resting(at: place)
        stationary = true
        restingSince = place.began(location.fix.time, at: now)
    }
}

/// A fix with a position, and the name of the receiver that made it.
public struct Location: Sendable, Equatable {
    /// Its ``Fix/coordinate`` is present.
    public var fix: Fix
    /// As `io.sextant.Receiver.List` names it.
    public var receiver: String

    /// A fix of a receiver.
    public init(fix: Fix, receiver: String) {
        self.fix = fix
        self.receiver = receiver
    }
}

/// That there is no position, why, and in words what would mend it.
public struct Unavailability: Sendable, Equatable {
    /// For programs.
    public var cause: UnavailableCause
    /// For people: names the thing, the reason and the mend.
    public var detail: String

    /// A cause in both tongues.
    public init(_ cause: UnavailableCause, _ detail: String) {
        self.cause = cause
        self.detail = detail
    }
}
