import Chronology
import Delivery

/// A day in stretches, as its streams knew it.
public struct DayTimeline: Sendable {
    /// What the streams took the device to be doing.
    public enum Stretch: Sendable, Equatable {
        /// Nobody asked.
        case unasked
        /// There was no position.
        case withoutPosition
        /// It moved, or was not yet known to rest.
        case moving
        /// It rested.
        case resting
    }

    /// A stretch of the day.
    public struct Section: Sendable, Equatable {
        /// What it was.
        public var stretch: Stretch
        /// When it began and ended, since the start.
        public var start: Instant.Span
        /// See ``start``.
        public var end: Instant.Span
        /// Updates that streams got; one for several streams counts once.
        public var updates = 0
        /// Times the receiver was woken by the plan.
        public var looks = 0
    }

    private var past: [Section] = []
    private var present: Section
    private var isAsleep = false

    /// A day that begins, with or without streams.
    public init(hasStreams: Bool) {
        present = Section(stretch: hasStreams ? .withoutPosition : .unasked, start: .zero, end: .zero)
    }

    /// Takes note of an event.
    public mutating func note(_ event: RehearsalEvent) {
        switch event.kind {
        case .update(let update, _):
            if let next = DayTimeline.stretch(of: update), next != present.stretch { turn(next, at: event.at) }
            present.updates += 1
        case .crossing: break
        case .plan(.run):
            if isAsleep { present.looks += 1 }
            isAsleep = false
        case .plan: isAsleep = true
        }
    }

    /// The stretches up to the day's end.
    public func sections(until end: Instant.Span) -> [Section] {
        var last = present
        last.end = end
        return past + [last]
    }

    private mutating func turn(_ stretch: Stretch, at now: Instant.Span) {
        present.end = now
        if now > present.start { past.append(present) }
        present = Section(stretch: stretch, start: now, end: now)
    }

    private static func stretch(of update: Update) -> Stretch? {
        if update.stationary { return .resting }
        if update.unavailability != nil { return .withoutPosition }
        return update.location == nil ? nil : .moving
    }
}
