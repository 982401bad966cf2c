import Chronology
import Delivery

/// The rehearsed day divided into sections by the device state that the streams reported.
package struct DayTimeline: Sendable {
    /// The device state according to the streams.
    package enum State: Sendable, Equatable {
        /// No stream was active.
        case noStreams
        /// No position was available.
        case noPosition
        /// The device moved, or was not yet known to be stationary.
        case moving
        /// The device was stationary.
        case resting
    }

    /// A section of the day with one state.
    package struct Section: Sendable, Equatable {
        /// The device state.
        package var activity: State
        /// The start of the section, relative to the start of the day.
        package var start: Instant.Span
        /// The end of the section, relative to the start of the day.
        package var end: Instant.Span
        /// The number of published updates; an update for several streams counts once.
        package var updates = 0
        /// How often the plan woke the receiver.
        package var wakeups = 0
    }

    private var past: [Section] = []
    private var present: Section
    private var isAsleep = false

    /// Creates an empty timeline.
    package init(hasStreams: Bool) {
        present = Section(activity: hasStreams ? .noPosition : .noStreams, start: .zero, end: .zero)
    }

    /// Processes an event.
    package mutating func note(_ event: RehearsalEvent) {
        switch event.kind {
        case .update(let update, _):
            if let next = DayTimeline.activity(of: update), next != present.activity { turn(next, at: event.at) }
            present.updates += 1
        case .crossing: break
        case .plan(.run):
            if isAsleep { present.wakeups += 1 }
            isAsleep = false
        case .plan: isAsleep = true
        }
    }

    /// Returns the sections up to the end of the day.
    package func sections(until end: Instant.Span) -> [Section] {
        var last = present
        last.end = end
        return past + [last]
    }

    private mutating func turn(_ stretch: State, at now: Instant.Span) {
        present.end = now
        if now > present.start { past.append(present) }
        present = Section(activity: stretch, start: now, end: now)
    }

    private static func activity(of update: Update) -> State? {
        if update.stationary { return .resting }
        if update.unavailability != nil { return .noPosition }
        return update.location == nil ? nil : .moving
    }
}
