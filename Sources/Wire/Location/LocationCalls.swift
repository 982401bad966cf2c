public import Chronology
import Delivery

/// Parameters of `io.sextant.Location.Subscribe`.
public struct SubscribeParameters: Codable, Sendable, Equatable {
    /// What the stream is for; absent: `default`.
    public var configuration: LiveConfiguration?
    /// This receiver alone, by its name or port; absent: the best one.
    public var receiver: String?
    /// How good positions must be; absent: `best`.
    public var desiredAccuracy: DesiredAccuracy?
    /// Metres between two updates, at the least; absent: none.
    public var distanceFilter: Double?
    /// Seconds between two updates, at the least; absent: as the configuration has it.
    public var minimumInterval: Double?
    /// Seconds for which updates may be held to be sent together; absent: none.
    public var maximumDelay: Double?
    /// Only significant changes of place; absent: false.
    public var significantChange: Bool?
    /// Takes what others cause and asks for nothing; absent: false.
    public var passive: Bool?
    /// Falls silent while the device rests; absent: true.
    public var pausesWhenStationary: Bool?

    /// A wish; nil leaves the choice to the daemon.
    public init(
        configuration: LiveConfiguration? = nil, receiver: String? = nil, desiredAccuracy: DesiredAccuracy? = nil,
        distanceFilter: Double? = nil, minimumInterval: Double? = nil, maximumDelay: Double? = nil, significantChange: Bool? = nil,
        passive: Bool? = nil, pausesWhenStationary: Bool? = nil
    ) {
        self.configuration = configuration
        self.receiver = receiver
        self.desiredAccuracy = desiredAccuracy
        self.distanceFilter = distanceFilter
        self.minimumInterval = minimumInterval
        self.maximumDelay = maximumDelay
        self.significantChange = significantChange
        self.passive = passive
        self.pausesWhenStationary = pausesWhenStationary
    }
}

/// The part of a reply to `Subscribe` that all streams share; `sequence` and `dropped` are each stream's own and put before it.
public struct UpdateMessage: Codable, Sendable, Equatable {
    /// The newest position; absent when there is none to tell.
    public var location: LocationMessage?
    /// True on the last update before the stream falls silent because the device rests, false on the next position; else absent.
    public var stationary: Bool?
    /// UTC since when it rests, where ``stationary`` is true and a date is known.
    public var restingSince: String?
    /// True when there is no position now.
    public var locationUnavailable: Bool?
    /// Why there is none.
    public var cause: UnavailableCause?
    /// The same in words, naming the port and the mend.
    public var detail: String?

    /// The message of an update.
    public init(_ update: Update) {
        location = update.location.flatMap(LocationMessage.init)
        stationary = update.stationary ? true : update.hasSetOff ? false : nil
        restingSince = update.restingSince?.description
        guard let reason = update.unavailability else { return }
        locationUnavailable = true
        cause = reason.cause
        detail = reason.detail
    }
}

/// A whole reply to `io.sextant.Location.Subscribe`.
public struct SubscribeReply: Codable, Sendable, Equatable {
    /// Counts the updates made for this stream, from 1; a gap is what was dropped.
    public var sequence: Int
    /// Updates of this stream that were replaced by newer ones before they could be sent.
    public var dropped: Int
    /// The newest position; absent when there is none to tell.
    public var location: LocationMessage?
    /// True on the last update before the stream falls silent because the device rests.
    public var stationary: Bool?
    /// UTC since when it rests, where ``stationary`` is true and a date is known.
    public var restingSince: String?
    /// True when there is no position now.
    public var locationUnavailable: Bool?
    /// Why there is none.
    public var cause: UnavailableCause?
    /// The same in words, naming the port and the mend.
    public var detail: String?

    /// A reply of a stream that has dropped `dropped` updates so far.
    public init(sequence: Int, dropped: Int, _ update: UpdateMessage) {
        self.sequence = sequence
        self.dropped = dropped
        location = update.location
        stationary = update.stationary
        restingSince = update.restingSince
        locationUnavailable = update.locationUnavailable
        cause = update.cause
        detail = update.detail
    }
}

/// Parameters of `io.sextant.Location.GetLocation`.
public struct GetLocationParameters: Codable, Sendable, Equatable {
    /// Seconds; absent: 1.
    public var maximumAge: Double?
    /// Seconds; absent: 10.
    public var timeout: Double?
    /// This receiver alone, by its name or port; absent: the best one.
    public var receiver: String?

    /// A question.
    public init(maximumAge: Double? = nil, timeout: Double? = nil, receiver: String? = nil) {
        self.maximumAge = maximumAge
        self.timeout = timeout
        self.receiver = receiver
    }
}

/// The reply to `io.sextant.Location.GetLocation`.
public struct GetLocationReply: Codable, Sendable, Equatable {
    /// The position.
    public var location: LocationMessage
    /// Seconds.
    public var age: Double
    /// UTC since when the device is known to rest; absent: it moves, or nobody else needs to know.
    public var restingSince: String?

    /// A position, how long ago its epoch ended, and since when the device rests.
    public init(location: LocationMessage, age: Double, restingSince: UTCTime? = nil) {
        self.location = location
        self.age = Rounded.fine(age)
        self.restingSince = restingSince?.description
    }
}

/// Parameters of the error `io.sextant.Location.LocationUnavailable`.
public struct LocationUnavailableError: Codable, Sendable, Equatable {
    /// The error's full name.
    public static let name = "io.sextant.Location.LocationUnavailable"
    /// Why there is none.
    public var cause: UnavailableCause
    /// The same in words, naming the port and the mend.
    public var detail: String

    /// The error of a reason.
    public init(_ reason: Unavailability) {
        cause = reason.cause
        detail = reason.detail
    }
}

/// Parameters of the errors `io.sextant.Location.NoSuchReceiver` and `io.sextant.Receiver.NoSuchReceiver`.
public struct NoSuchReceiverError: Codable, Sendable, Equatable {
    /// The full name of the error of `io.sextant.Location`.
    public static let locationName = "io.sextant.Location.NoSuchReceiver"
    /// The full name of the error of `io.sextant.Receiver`.
    public static let receiverName = "io.sextant.Receiver.NoSuchReceiver"
    /// What was asked for.
    public var receiver: String
    /// Names of those there are.
    public var known: [String]

    /// The error about that name or port.
    public init(receiver: String, known: [String]) {
        (self.receiver, self.known) = (receiver, known)
    }
}
