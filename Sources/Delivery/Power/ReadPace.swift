import Chronology

/// How soon anybody wants what a receiver's port brings; lets the edge wake seldom.
public enum ReadPace: Sendable, Hashable {
    /// As soon as it is there.
    case atOnce
    /// At the end of each burst.
    case everyBurst
    /// At the end of a burst, and not more often than this.
    case atMostEvery(Instant.Span)
}
