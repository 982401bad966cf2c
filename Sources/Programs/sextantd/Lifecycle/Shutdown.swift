import Chronology

/// The end of the service: receivers are woken and their settings restored, within a time limit.
struct Shutdown {
    /// The time allowed to wake receivers and restore their settings.
    static let timeout = Instant.Span.seconds(2)

    /// The end of the time limit; `nil` before the shutdown.
    private(set) var deadline: Instant?

    /// Whether the service is ending.
    var hasBegun: Bool { deadline != nil }

    /// Starts the shutdown. Returns `false` if it had already begun; the caller then ends at once.
    mutating func begin(at now: Instant) -> Bool {
        guard deadline == nil else { return false }
        deadline = now + Shutdown.timeout
        return true
    }

    /// Returns whether the service ends now: all settings are restored, or the time has passed.
    func isComplete(at now: Instant, settingsAreRestored: @autoclosure () -> Bool) -> Bool {
        guard let deadline else { return false }
        return deadline <= now || settingsAreRestored()
    }
}
