import Chronology

/// What a receiver has to say at once: the sentences of one epoch.
public struct Burst: Sendable, Equatable {
    /// When the first byte may go on the wire.
    public var instant: Instant
    /// The sentences.
    public var bytes: [UInt8]

    /// Bytes at an instant.
    public init(instant: Instant, bytes: [UInt8]) {
        (self.instant, self.bytes) = (instant, bytes)
    }
}

/// Whatever makes bursts: the simulated navigation, or a capture that is played.
public protocol BurstSource: Sendable {
    /// When the next burst is due; nil when there will be none.
    var deadline: Instant? { get }
    /// Whether it will never say anything again, whatever is written to it.
    var isOver: Bool { get }
    /// The burst that was due, and steps on to the next. Called only while ``deadline`` is not nil.
    mutating func burst() -> Burst
    /// The host has written bytes. Whoever does not listen ignores them.
    mutating func hear(_ bytes: [UInt8], at now: Instant)
}

extension BurstSource {
    /// As long as nobody listens, what is silent stays so.
    public var isOver: Bool { deadline == nil }

    /// Nobody listens.
    public mutating func hear(_ bytes: [UInt8], at now: Instant) {}
}
