import Chronology

/// Whether the device moves; raw values are wire names.
public enum MotionState: String, Sendable, Codable, CaseIterable {
    /// Too few fixes, or none for too long.
    case unknown
    /// The device moves.
    case moving
    /// The device keeps its place.
    case stationary
}

/// A result of ``MotionDetector``; at most one per epoch.
public enum MotionAction: Sendable, Equatable {
    /// The device is stationary since ``StationaryPlace/since``.
    case becameStationary(StationaryPlace)
    /// The device is moving since that instant. After a gap it is the last instant at which the
    /// device was stationary.
    case becameMoving(since: Instant)
    /// The last published movement was a receiver error: the device never left that place.
    case retracted(StationaryPlace)
    /// The state is unknown because no position has arrived for too long; the last was at that
    /// instant.
    case becameUnknown(since: Instant)
}
