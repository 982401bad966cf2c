import Chronology

/// Something that goes wrong for a while.
public struct Fault: Sendable, Equatable {
    /// What goes wrong; raw values are the names on the command line.
    public enum Kind: String, Sendable, CaseIterable {
        /// No satellite comes in, as in a tunnel; the receiver says so and goes on talking.
        case dropout
        /// Bits of the bytes on the wire are flipped by chance.
        case corruption
        /// Nothing is sent.
        case silence
        /// The device is gone, and comes back afterwards.
        case unplug
    }

    /// What goes wrong.
    public var kind: Kind
    /// When, since the start of the simulation.
    public var start: Instant.Span
    /// For how long; nil for good.
    public var duration: Instant.Span?
    /// Probability that a byte is damaged, 0 ... 1; of corruption only.
    public var rate: Double

    /// A fault.
    public init(_ kind: Kind, start: Instant.Span, duration: Instant.Span? = nil, rate: Double = Fault.defaultRate) {
        (self.kind, self.start, self.duration, self.rate) = (kind, start, duration, rate)
    }

    /// One byte in two hundred: about every third sentence is damaged.
    public static let defaultRate = 0.005

    /// When it is over; nil if never.
    public var end: Instant.Span? { duration.map { start + $0 } }

    /// Whether it is in force at a time since the start.
    public func isActive(at elapsed: Instant.Span) -> Bool {
        elapsed >= start && end.map { elapsed < $0 } ?? true
    }
}

/// The faults of one run.
public struct FaultSchedule: Sendable, Equatable {
    /// In the order they were given.
    public var faults: [Fault]

    /// A schedule; empty for a run in which nothing goes wrong.
    public init(_ faults: [Fault] = []) {
        self.faults = faults
    }

    /// The fault of a kind in force at a time since the start.
    public func active(_ kind: Fault.Kind, at elapsed: Instant.Span) -> Fault? {
        faults.first { $0.kind == kind && $0.isActive(at: elapsed) }
    }

    /// The next time after `elapsed` at which a fault begins or ends.
    public func nextChange(after elapsed: Instant.Span) -> Instant.Span? {
        faults.flatMap { [$0.start, $0.end].compactMap(\.self) }.filter { $0 > elapsed }.min()
    }
}
