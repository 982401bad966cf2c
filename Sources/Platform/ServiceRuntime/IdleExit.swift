import Chronology

/// When a program without clients ends, because the service manager starts it again for the next
/// one.
package struct IdleExit {
    private let limit: Instant.Span?
    private var idleSince: Instant?

    /// Creates a value for a program that is idle.
    ///
    /// - Parameter limit: How long the program waits for a client; nil if it never ends.
    package init(after limit: Instant.Span?, at now: Instant) {
        self.limit = limit
        idleSince = now
    }

    /// Records whether the program has no client.
    package mutating func update(isIdle: Bool, at now: Instant) {
        idleSince = isIdle ? idleSince ?? now : nil
    }

    /// When the program ends; nil while it is used.
    package var deadline: Instant? {
        guard let limit, let idleSince else { return nil }
        return idleSince + limit
    }

    /// Whether the program ends now.
    package func isDue(at now: Instant) -> Bool { deadline.map { now >= $0 } ?? false }
}
