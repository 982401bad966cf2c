import Chronology

/// A simulated fault of limited or unlimited duration.
package struct Fault: Sendable, Equatable {
    /// The kinds of fault. Raw values are the command-line names.
    package enum Kind: String, Sendable, CaseIterable {
        /// No satellites are received, as in a tunnel; the receiver keeps sending sentences without
        /// a fix.
        case dropout
        /// Random bits of the bytes on the line are flipped.
        case corruption
        /// The receiver sends nothing.
        case silence
        /// The device disappears and returns afterwards.
        case unplug
    }

    package var kind: Kind
    /// When the fault begins, relative to the start of the simulation.
    package var start: Instant.Span
    /// The duration of the fault; nil if it is permanent.
    package var duration: Instant.Span?
    /// The probability that a byte is damaged, 0 ... 1; applies to corruption only.
    package var rate: Double

    package init(_ kind: Kind, start: Instant.Span, duration: Instant.Span? = nil, rate: Double = Fault.defaultRate) {
        self.kind = kind
        self.start = start
        self.duration = duration
        self.rate = rate
    }

    /// The default byte error rate: one byte in two hundred, which damages about every third
    /// sentence.
    package static let defaultRate = 0.005

    /// When the fault ends; nil if it is permanent.
    package var end: Instant.Span? { duration.map { start + $0 } }

    /// Returns whether the fault is active at a time since the start.
    package func isActive(at elapsed: Instant.Span) -> Bool {
        elapsed >= start && end.map { elapsed < $0 } ?? true
    }
}

/// The faults of one simulation.
package struct FaultSchedule: Sendable, Equatable {
    /// The faults in the order given.
    package var faults: [Fault]

    /// Creates a schedule; by default without faults.
    package init(_ faults: [Fault] = []) {
        self.faults = faults
    }

    /// Returns the fault of this kind that is active at a time since the start.
    package func active(_ kind: Fault.Kind, at elapsed: Instant.Span) -> Fault? {
        faults.first { $0.kind == kind && $0.isActive(at: elapsed) }
    }

    /// Returns the next time after `elapsed` at which a fault begins or ends.
    package func nextChange(after elapsed: Instant.Span) -> Instant.Span? {
        faults.flatMap { [$0.start, $0.end].compactMap(\.self) }.filter { $0 > elapsed }.min()
    }
}
