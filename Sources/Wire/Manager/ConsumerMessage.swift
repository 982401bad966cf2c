import Delivery

/// `io.sextant.Manager`, type `Consumer`.
public struct ConsumerMessage: Codable, Sendable, Equatable {
    /// What it asks for.
    public var purpose: PurposeName
    /// What the program calls itself.
    public var program: String?
    /// Its process.
    public var pid: Int?
    /// The user it runs as.
    public var uid: Int
    /// Its systemd unit.
    public var unit: String?
    /// The one receiver it asks for; absent: the best.
    public var receiver: String?
    /// How good positions must be; absent for all but streams.
    public var desiredAccuracy: DesiredAccuracy?
    /// Seconds between two fixes that serve it; absent for one that asks for nothing.
    public var interval: Double?
    /// Metres between two updates.
    public var distanceFilter: Double?
    /// Only significant changes of place.
    public var significantChange = false
    /// It takes what others cause and asks for nothing.
    public var passive = false
    /// When it asked: RFC 3339, UTC.
    public var since: String
    /// Seconds since then.
    public var seconds: Double
    /// Whether a receiver is on for it now.
    public var holds = false
    /// Whether it is told nothing now because the device rests.
    public var silent = false

    /// A consumer that has asked for something.
    public init(_ purpose: PurposeName, uid: Int, since: String, seconds: Double) {
        (self.purpose, self.uid, self.since) = (purpose, uid, since)
        self.seconds = Rounded.fine(seconds)
    }
}

/// `io.sextant.Manager`, type `Doing`.
public struct DoingMessage: Codable, Sendable, Equatable {
    /// The receiver's name.
    public var receiver: String
    /// What it does.
    public var work: WorkName
    /// Seconds since it began.
    public var seconds: Double

    /// What a receiver does.
    public init(receiver: String, work: WorkName, seconds: Double) {
        (self.receiver, self.work) = (receiver, work)
        self.seconds = Rounded.fine(seconds)
    }
}
