import Chronology

/// The bytes that a receiver sends at once: the sentences of one epoch.
package struct Burst: Sendable, Equatable {
    /// The earliest time at which the first byte can be on the line.
    package var instant: Instant
    /// The bytes of the sentences.
    package var bytes: [UInt8]

    /// Creates a burst.
    package init(instant: Instant, bytes: [UInt8]) {
        (self.instant, self.bytes) = (instant, bytes)
    }
}

/// A source of bursts: a simulated receiver or a capture.
package protocol BurstSource: Sendable {
    /// When the next burst is due; nil if no burst is scheduled.
    var deadline: Instant? { get }
    /// Whether the source is finished: no input can make it send again.
    var isOver: Bool { get }
    /// Returns the burst that is due and advances to the next. Call it only while ``deadline`` is
    /// not nil.
    mutating func burst() -> Burst
    /// Processes bytes from the host. Sources without commands ignore them.
    mutating func process(_ bytes: [UInt8], at now: Instant)
    /// Loses what commands have changed, because the device was plugged in again.
    mutating func powerOn(at now: Instant)
}

extension BurstSource {
    /// A source that ignores input is over when no burst is scheduled.
    package var isOver: Bool { deadline == nil }

    /// Ignores the input.
    package mutating func process(_ bytes: [UInt8], at now: Instant) {}

    /// Keeps its state.
    package mutating func powerOn(at now: Instant) {}
}
