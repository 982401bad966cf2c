import Chronology

/// How soon clients need the data that arrives on a receiver's port. Fewer reads reduce wakeups of
/// the daemon.
public enum ReadPolicy: Sendable, Hashable {
    /// As soon as data arrives.
    case immediate
    /// At the end of each burst.
    case everyBurst
    /// At the end of each burst, and the arrival of its first byte is measured.
    case timedBurst
    /// At the end of a burst, but at most once per this interval.
    case interval(Instant.Span)
}
