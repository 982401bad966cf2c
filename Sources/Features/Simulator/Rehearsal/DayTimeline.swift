import Chronology
import Locator

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
        case stationary
    }

    /// A section of the day with one state.
    package struct Section: Sendable, Equatable {
        package var state: State
        /// The start of the section, relative to the start of the day.
        package var start: Instant.Span
        /// The end of the section, relative to the start of the day.
        package var end: Instant.Span
        /// The number of published updates; an update for several streams counts once.
        package var updates = 0
        /// How often the plan woke the receiver.
        package var wakeups = 0
    }

    private var pastSections: [Section] = []
    private var current: Section
    private var isAsleep = false

    /// Creates an empty timeline.
    package init(hasStreams: Bool) {
        current = Section(state: hasStreams ? .noPosition : .noStreams, start: .zero, end: .zero)
    }

    package mutating func record(_ event: RehearsalEvent) {
        switch event.kind {
        case .update(let update, _):
            if let next = DayTimeline.state(after: update), next != current.state { begin(next, at: event.time) }
            current.updates += 1
        case .crossing: break
        case .plan(.run):
            if isAsleep { current.wakeups += 1 }
            isAsleep = false
        case .plan: isAsleep = true
        }
    }

    package func sections(until end: Instant.Span) -> [Section] {
        var last = current
        last.end = end
        return pastSections + [last]
    }

    private mutating func begin(_ state: State, at now: Instant.Span) {
        current.end = now
        if now > current.start { pastSections.append(current) }
        current = Section(state: state, start: now, end: now)
    }

    /// Returns the state that an update reports; nil if it reports none.
    private static func state(after update: Update) -> State? {
        if update.stationary { return .stationary }
        if update.unavailability != nil { return .noPosition }
        return update.location == nil ? nil : .moving
    }
}
