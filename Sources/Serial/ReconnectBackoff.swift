import Chronology

/// How long to wait before the next attempt to open a port that could not be opened.
///
/// 0.25 s first, because udev gives a device its permissions a moment after it appears; then doubling; then every 4 s for ever: where no
/// udev tells of a replug, 4 s is the longest a person waits after plugging a receiver in again, for one failed open(2) in that time.
public struct ReconnectBackoff: Sendable, Hashable {
    private var failures = 0

    /// No attempt has failed yet.
    public init() {}

    /// The wait after one more failure.
    public mutating func next() -> Instant.Span {
        let wait = Instant.Span.milliseconds(250 << Int64(failures))
        failures = min(failures + 1, 4)
        return wait
    }

    /// The port was opened and spoke.
    public mutating func reset() {
        failures = 0
    }
}
