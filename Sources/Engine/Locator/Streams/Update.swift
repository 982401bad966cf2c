import Chronology
import Positioning

@_exported import enum SextantAPI.Cause

/// One message of a stream to its client.
public struct Update: Sendable, Equatable {
    /// The newest location; nil if there is none to publish.
    public var location: ReceiverFix?
    /// Why there is no position now; nil if there is one.
    public var unavailability: Unavailability?
    /// Whether the device is stationary. No further location follows until it moves.
    public var stationary = false
    /// Start of the stationary state by the receiver's clock; nil if the receiver has reported no
    /// date.
    public var stationarySince: UTCTime?
    /// Whether this is the first location after a ``stationary`` update.
    public var hasDeparted = false

    /// Creates an update; by default it contains neither a location nor a cause.
    public init(
        location: ReceiverFix? = nil, unavailability: Unavailability? = nil, stationary: Bool = false,
        hasDeparted: Bool = false
    ) {
        self.stationary = stationary
        self.hasDeparted = hasDeparted
        self.location = location
        self.unavailability = unavailability
    }

    /// Creates an update that reports the stationary state. It contains `location` moved to that
    /// place, and the start time by the receiver's clock.
    ///
    /// - Parameter now: When the receiver made the fix of `location`.
    public init(_ location: ReceiverFix, restingAt place: StationaryPlace, at now: Instant) {
        self.location = location.stationary(at: place)
        stationary = true
        stationarySince = place.began(location.fix.time, at: now)
    }
}

/// A fix with a position, and the name of the receiver that made it.
public struct ReceiverFix: Sendable, Equatable {
    /// The fix. Its ``Fix/coordinate`` is present.
    public var fix: Fix
    /// The receiver's name, as in `io.sextant.Receiver.List`.
    public var receiver: String
    /// Whether the receiver is an accessory of the device: it is on USB.
    public var isAccessory: Bool
    /// The time from the end of the fix's epoch to the publication of the location.
    public var age: Instant.Span

    /// Creates a location from a receiver's fix.
    public init(fix: Fix, receiver: String, isAccessory: Bool = false, age: Instant.Span = .zero) {
        self.fix = fix
        self.receiver = receiver
        self.isAccessory = isAccessory
        self.age = age
    }
}

/// Why there is no position, and how to fix it.
public struct Unavailability: Sendable, Equatable {
    /// The cause as a code for programs.
    public var cause: Cause
    /// The cause as text for people: the object, the reason and how to fix it.
    public var detail: String

    /// Creates a cause as a code and as text.
    public init(_ cause: Cause, detail: String) {
        self.cause = cause
        self.detail = detail
    }
}
