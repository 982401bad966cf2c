import Chronology

/// The order in which records leave the outbox: the newest position first, then events, then the
/// track from its beginning at a limited rate.
///
/// With an interval of batches, a position is sent alone once per interval, and then all positions
/// that waited. Events do not wait.
package struct SendOrder: Sendable {
    /// What the outbox holds that is not in flight.
    package struct Queue: Sendable, Equatable {
        /// The newest position; nil if there is none.
        package var newestPoint: Int64?
        /// The oldest position; nil if there is none.
        package var oldestPoint: Int64?
        /// The oldest event; nil if there is none.
        package var oldestEvent: Int64?
        /// The time of the newest position; nil if it is unknown.
        package var newestTime: UTCTime?

        /// Creates a description of an outbox.
        package init(
            newestPoint: Int64? = nil, oldestPoint: Int64? = nil, oldestEvent: Int64? = nil, newestTime: UTCTime? = nil
        ) {
            self.newestPoint = newestPoint
            self.newestTime = newestTime
            self.oldestPoint = oldestPoint
            self.oldestEvent = oldestEvent
        }
    }

    package enum Step: Sendable, Equatable {
        /// Send the record with this number.
        case send(Int64)
        /// Send the oldest positions in one message.
        case sendTrack
        /// Wait until this instant, or until something changes.
        case wait(until: Instant?)
    }

    /// The interval between two points of the backlog: 20 a second.
    package static let backlogInterval = Instant.Span.milliseconds(50)

    /// The maximum number of unacknowledged messages.
    package let maxInFlight: Int
    /// The time for which positions wait for a batch; nil: each is sent alone.
    package let batchInterval: Instant.Span?
    private var lastLive: Int64 = 0
    private var lastLiveTime: UTCTime?
    private var lastLiveInstant: Instant?
    /// Whether the positions that waited are being sent.
    private var isSendingTrack = true
    private var nextBacklog = Instant.zero

    /// Creates the order for one connection.
    ///
    /// - Parameter batchInterval: The time for which positions wait for a batch; nil: none waits.
    package init(maxInFlight: Int = 20, batchInterval: Instant.Span? = nil) {
        self.maxInFlight = maxInFlight
        self.batchInterval = batchInterval
    }

    /// Returns the next step, and records it as done.
    ///
    /// An event is sent alone, so that no other message can overtake it. Thus a server learns of
    /// events in their order.
    package mutating func next(_ queue: Queue, pointsInFlight: Int, eventsInFlight: Int, at now: Instant) -> Step {
        guard eventsInFlight == 0, pointsInFlight < maxInFlight else { return .wait(until: nil) }
        if let newest = queue.newestPoint, newest > lastLive, isDue(queue, at: now) {
            lastLive = newest
            lastLiveTime = queue.newestTime
            lastLiveInstant = now
            isSendingTrack = true
            return .send(newest)
        }
        if let event = queue.oldestEvent { return pointsInFlight == 0 ? .send(event) : .wait(until: nil) }
        guard let oldest = queue.oldestPoint else {
            isSendingTrack = false
            return .wait(until: nil)
        }
        if let batchInterval, let lastLiveInstant, !isSendingTrack, now < lastLiveInstant + batchInterval {
            return .wait(until: lastLiveInstant + batchInterval)
        }
        guard now >= nextBacklog else { return .wait(until: nextBacklog) }
        nextBacklog = now + SendOrder.backlogInterval
        return batchInterval == nil ? .send(oldest) : .sendTrack
    }

    /// Whether the newest position is sent alone: always without batches, else once per interval,
    /// by the clock or by the times of the positions.
    private func isDue(_ queue: Queue, at now: Instant) -> Bool {
        guard let batchInterval, let lastLiveInstant, now < lastLiveInstant + batchInterval else { return true }
        guard let newestTime = queue.newestTime, let lastLiveTime else { return false }
        return newestTime.span(since: lastLiveTime) >= batchInterval
    }
}

/// One entry of the outbox: a point or an event, with the number that identifies it for ever.
package struct FleetRecord: Sendable, Equatable {
    /// What is reported.
    package enum Content: Sendable, Equatable {
        /// A position.
        case point(FleetPoint)
        /// An event of a fence.
        case event(FleetEvent)
    }

    /// The number. It grows for the lifetime of the outbox, also across restarts; consumers
    /// recognise duplicates by it.
    package var sequence: Int64
    package var content: Content

    package init(_ sequence: Int64, _ content: Content) { (self.sequence, self.content) = (sequence, content) }

    package var isEvent: Bool { if case .event = content { true } else { false } }
}
