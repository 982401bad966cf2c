import Chronology

/// Updates held for joint delivery, for a stream that prefers few wakeups to low latency.
public struct UpdateBatch: Sendable {
    /// The maximum number of held updates. A full batch is delivered early and loses nothing.
    public static let maxCount = 512

    /// The maximum time for which the oldest update may be held.
    public let maximumDelay: Instant.Span
    private var held: [(update: Update, since: Instant)] = []

    /// Creates an empty batch; nil without a positive delay.
    public init?(_ maximumDelay: Instant.Span?) {
        guard let maximumDelay, maximumDelay > .zero else { return nil }
        self.maximumDelay = maximumDelay
    }

    /// The number of held updates.
    public var count: Int { held.count }

    /// When ``tick(at:)`` must be called; nil if no updates are held.
    public var deadline: Instant? { held.first.map { $0.since + maximumDelay } }

    /// Adds an update. Returns all updates to deliver now, oldest first; empty if they are held.
    ///
    /// A missing position or the stationary state is delivered immediately, after the updates that
    /// precede it.
    public mutating func add(_ update: Update, at now: Instant) -> [Update] {
        held.append((update, since: now))
        let isImmediate = update.location == nil || update.stationary
        return isImmediate || held.count >= UpdateBatch.maxCount || isDue(at: now) ? flush(at: now) : []
    }

    /// Returns the held updates if they are due at `now`.
    public mutating func tick(at now: Instant) -> [Update] { isDue(at: now) ? flush(at: now) : [] }

    /// Returns all held updates, whose locations are older now, and empties the batch.
    public mutating func flush(at now: Instant) -> [Update] {
        defer { held = [] }
        return held.map { update, since in
            var update = update
            if let age = update.location?.age { update.location?.age = age + (now - since) }
            return update
        }
    }

    private func isDue(at now: Instant) -> Bool { deadline.map { $0 <= now } ?? false }
}
