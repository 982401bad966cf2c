import Chronology

/// Updates that are held to be delivered together, for a stream that would rather be woken seldom than soon.
public struct UpdateBatch: Sendable {
    /// No more are ever held; a batch that is full goes out early and loses nothing.
    public static let most = 512

    /// How long the oldest may wait.
    public let maximumDelay: Instant.Span
    private var held: [Update] = []
    private var oldest: Instant?

    /// An empty batch; nil for a delay that is none.
    public init?(_ maximumDelay: Instant.Span?) {
        guard let maximumDelay, maximumDelay > .zero else { return nil }
        self.maximumDelay = maximumDelay
    }

    /// How many wait.
    public var count: Int { held.count }

    /// When ``tick(at:)`` wants to be called; nil while nothing waits.
    public var deadline: Instant? { oldest.map { $0 + maximumDelay } }

    /// Takes an update in. Returns all that are to go out now, oldest first; empty while they wait.
    ///
    /// That there is no position, or that the device rests, is told at once, after what led to it.
    public mutating func add(_ update: Update, at now: Instant) -> [Update] {
        held.append(update)
        if oldest == nil { oldest = now }
        let isUrgent = update.location == nil || update.stationary
        return isUrgent || held.count >= UpdateBatch.most || isDue(at: now) ? flush() : []
    }

    /// Lets time pass.
    public mutating func tick(at now: Instant) -> [Update] { isDue(at: now) ? flush() : [] }

    /// Everything, at once.
    public mutating func flush() -> [Update] {
        defer { (held, oldest) = ([], nil) }
        return held
    }

    private func isDue(at now: Instant) -> Bool { deadline.map { $0 <= now } ?? false }
}
