import Positioning

/// Whether a stream is paused because the device is stationary.
///
/// One update reports the stationary state with the averaged position. The stream then sends
/// nothing until the first fix after the device has moved.
public struct StationaryPause: Sendable, Equatable {
    /// What a stream does in response to the motion detector.
    public enum Transition: Sendable, Equatable {
        /// Publishes the stationary state at this place, then pauses.
        case pause(StationaryPlace)
        /// Publishes the next fix immediately.
        case resume
    }

    /// Whether the stream is paused.
    public private(set) var isPaused = false

    /// Creates the state of a stream that is not paused.
    public init() {}

    /// Processes an action of the motion detector. Returns nil if nothing changes for the stream.
    public mutating func process(_ action: MotionAction) -> Transition? {
        switch action {
        case .becameStationary(let place), .retracted(let place):
            guard !isPaused else { return nil }
            isPaused = true
            return .pause(place)
        case .becameMoving, .becameUnknown:
            guard isPaused else { return nil }
            isPaused = false
            return .resume
        }
    }

    /// Returns whether a paused stream suppresses this cause of a missing position. Its receiver
    /// may sleep then, so a missing fix is expected.
    public func suppresses(_ cause: UnavailableCause) -> Bool { isPaused && cause.isExpectedWhileAsleep }
}

extension UnavailableCause {
    /// Whether the sleep of a receiver without demand can produce this cause.
    public var isExpectedWhileAsleep: Bool {
        switch self {
        case .noFix, .receiverSilent, .starting: true
        case .noReceiver, .receiverLost, .permissionDenied, .portBusy, .unknownProtocol, .antennaFault, .unknown:
            false
        }
    }
}

extension ReceiverFix {
    /// Returns this location for a stationary device: the averaged position, without speed and
    /// course.
    public func stationary(at place: StationaryPlace) -> ReceiverFix {
        var location = self
        location.fix = fix.resting(at: place)
        return location
    }
}

extension LiveConfiguration {
    /// The threshold after which a stream with this configuration considers the device stationary.
    public var threshold: StationaryThreshold {
        switch self {
        case .default, .unknown: .any
        case .automotiveNavigation: .automotive
        case .otherNavigation, .fitness: .pedestrian
        case .airborne: .airborne
        }
    }
}
