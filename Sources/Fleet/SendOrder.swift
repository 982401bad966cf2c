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
        /// The number of positions.
        public var pointCount: Int

        /// Creates a description of an outbox.
        public init(
            newestPoint: Int64? = nil, oldestPoint: Int64? = nil, oldestEvent: Int64? = nil, pointCount: Int = 0
        ) {
            self.newestPoint = newestPoint
            self.oldestPoint = oldestPoint
            self.oldestEvent = oldestEvent
            self.pointCount = pointCount
        }
    }

    /// What to do.
    public enum Step: Sendable, Equatable {
        /// Send the record with this number.
        case send(Int64)
        /// Send the oldest positions, at most this many, in one message.
        case sendTrack(Int)
        /// Wait until this instant, or until something changes.
        case wait(until: Instant?)
    }

    /// The interval between two points of the backlog: 20 a second.
    public static let backlogInterval = Instant.Span.milliseconds(50)

    /// The number of positions in one message, at most.
    public static let trackLength = 120

    /// The maximum number of unacknowledged messages.
    public let maxInFlight: Int
    private let batch: Instant.Span?
    private var lastLive: Int64 = 0
    private var nextBacklog = Instant.zero
    /// When the next message with positions is due; nil while none waits.
    private var nextTrack: Instant?
    private var isFirstTrack = true

    /// Creates the order for one connection.
    ///
    /// - Parameter batch: The time for which positions are collected for one message; nil: each is
    ///   sent by itself.
    public init(maxInFlight: Int = 20, batch: Instant.Span? = nil) {
        self.maxInFlight = maxInFlight
        self.batch = batch
    }

    /// Returns the next step, and records it as done.
    ///
    /// An event is sent alone, so that no other message can overtake it. Thus a server learns of
    /// events in their order.
    public mutating func next(_ queue: Queue, pointsInFlight: Int, eventsInFlight: Int, at now: Instant) -> Step {
        guard eventsInFlight == 0, pointsInFlight < maxInFlight else { return .wait(until: nil) }
        if let batch { return next(queue, pointsInFlight: pointsInFlight, collectedFor: batch, at: now) }
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

    /// The next step if positions are collected. The first message after the connection was made is
    /// sent at once, and a full one as fast as the backlog.
    private mutating func next(
        _ queue: Queue, pointsInFlight: Int, collectedFor batch: Instant.Span, at now: Instant
    ) -> Step {
        guard pointsInFlight == 0 else { return .wait(until: nil) }
        if let event = queue.oldestEvent { return .send(event) }
        guard queue.pointCount > 0 else {
            nextTrack = nil
            return .wait(until: nil)
        }
        let due = isFirstTrack ? now : nextTrack ?? now + batch
        let isFull = queue.pointCount >= SendOrder.trackLength
        let start = isFull ? min(due, nextBacklog) : due
        nextTrack = due
        guard now >= start else { return .wait(until: start) }
        let count = min(queue.pointCount, SendOrder.trackLength)
        isFirstTrack = false
        nextTrack = nil
        nextBacklog = now + SendOrder.backlogInterval * count
        return .sendTrack(count)
    }
}
