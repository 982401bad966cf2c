import Chronology

/// What a ``MotionDetector`` has found out. At most one comes of an epoch.
public enum MotionAction: Sendable, Equatable {
    /// The device rests, and has done since ``RestingPlace/since``.
    case becameStationary(RestingPlace)
    /// The device moves, and began to at that instant. After a gap it is the last at which it was seen at rest.
    case becameMoving(since: Instant)
    /// The movement told of last was an error of the receiver: the device never left that place.
    case retracted(RestingPlace)
    /// No position has come for so long that neither can be said any more; the last was at that instant.
    case becameUnknown(since: Instant)
}
