import Chronology

/// Updates held for joint delivery, for a stream that prefers few wakeups to low latency.
public struct UpdateBatch: Sendable {
    /// The maximum number of held updates. A full batch is delivered early and loses nothing.
    public static let maxCount = 512

    /// The maximum time for which the oldest update may be held.
    public let maximumDelay: Instant.Span
    private var held: [Update] = []
    private var oldest: Instant?

    /// Creates an empty batch; nil without a positive delay.
    public init?(_ maximumDelay: Instant.Span?) {
        guard let maximumDelay, maximumDelay > .zero else { return nil }
        self.maximumDelay = maximumDelay
    }

    /// The number of held updates.
    public var count: Int { held.count }

    /// When ``tick(at:)`` must be called; nil if no updates are held.
    public var deadline: Instant? { oldest.map { $0 + maximumDelay } }

    /// Adds an update. Returns all updates to deliver now, oldest first; empty if they are held.
    ///
    /// A missing position or the stationary state is delivered immediately, after the updates that
    /// precede it.
    public mutating func add(_ update: Update, at now: Instant) -> [Update] {
        held.append(update)
        if oldest == nil { oldest = now }
        let isImmediate = update.location == nil || update.stationary
        return isImmediate || held.count >= UpdateBatch.maxCount || isDue(at: now) ? flush() : []
    }

    /// Returns the held updates if they are due at `now`.
    public mutating func tick(at now: Instant) -> [Update] { isDue(at: now) ? flush() : [] }

    /// Returns all held updates and empties the batch.
    public mutating func flush() -> [Update] {
        defer { (held, oldest) = ([], nil) }
        return held
    }

    private func isDue(at now: Instant) -> Bool { deadline.map { $0 <= now } ?? false }
}
