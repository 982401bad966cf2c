import Chronology

/// The order in which records leave the outbox: the newest position first, then events, then the
/// track from its beginning at a limited rate.
public struct SendOrder: Sendable {
    /// What the outbox holds that is not in flight.
    public struct Queue: Sendable, Equatable {
        /// The newest position; nil if there is none.
        public var newestPoint: Int64?
        /// The oldest position; nil if there is none.
        public var oldestPoint: Int64?
        /// The oldest event; nil if there is none.
        public var oldestEvent: Int64?

        /// Creates a description of an outbox.
        public init(newestPoint: Int64? = nil, oldestPoint: Int64? = nil, oldestEvent: Int64? = nil) {
            self.newestPoint = newestPoint
            self.oldestPoint = oldestPoint
            self.oldestEvent = oldestEvent
        }
    }

    /// What to do.
    public enum Step: Sendable, Equatable {
        /// Send the record with this number.
        case send(Int64)
        /// Wait until this instant, or until something changes.
        case wait(until: Instant?)
    }

    /// The interval between two points of the backlog: 20 a second.
    public static let backlogInterval = Instant.Span.milliseconds(50)

    /// The maximum number of unacknowledged messages.
    public let maxInFlight: Int
    private var lastLive: Int64 = 0
    private var nextBacklog = Instant.zero

    /// Creates the order for one connection.
    public init(maxInFlight: Int = 20) { self.maxInFlight = maxInFlight }

    /// Returns the next step, and records it as done.
    ///
    /// An event is sent alone, so that no other message can overtake it. Thus a server learns of
    /// events in their order.
    public mutating func next(_ queue: Queue, pointsInFlight: Int, eventsInFlight: Int, at now: Instant) -> Step {
        guard eventsInFlight == 0, pointsInFlight < maxInFlight else { return .wait(until: nil) }
        if let newest = queue.newestPoint, newest > lastLive {
            lastLive = newest
            return .send(newest)
        }
        if let event = queue.oldestEvent { return pointsInFlight == 0 ? .send(event) : .wait(until: nil) }
        guard let oldest = queue.oldestPoint else { return .wait(until: nil) }
        guard now >= nextBacklog else { return .wait(until: nextBacklog) }
        nextBacklog = now + SendOrder.backlogInterval
        return .send(oldest)
    }
}
