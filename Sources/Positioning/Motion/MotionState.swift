/// Whether the device moves; raw values are the wire's names.
public enum MotionState: String, Sendable, Codable, CaseIterable {
    /// Too little has been seen, or nothing for too long.
    case unknown
    /// It goes somewhere.
    case moving
    /// It rests at a place.
    case stationary
}
