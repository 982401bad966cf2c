import Positioning

/// Whether a stream is silent because the device rests.
///
/// One update says so and holds the averaged place; then there is silence, and the first fix after the device has moved ends it.
public struct StationaryPause: Sendable, Equatable {
    /// What a stream does about what the motion detector told.
    public enum Turn: Sendable, Equatable {
        /// Tell that it rests there, and then nothing.
        case pause(RestingPlace)
        /// Tell the next fix at once.
        case resume
    }

    /// The stream is silent.
    public private(set) var isPaused = false

    /// A stream that is told everything.
    public init() {}

    /// Takes in what the detector told; nil where nothing changes for the stream.
    public mutating func take(_ action: MotionAction) -> Turn? {
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

    /// Whether a reason to have no position is kept from a silent stream: its receiver is let rest, and no fix is then no news.
    public func keeps(_ cause: UnavailableCause) -> Bool { isPaused && cause.isNoNewsAtRest }
}

extension UnavailableCause {
    /// Whether it may be nothing but the rest that a receiver is given while nobody needs it.
    public var isNoNewsAtRest: Bool {
        switch self {
        case .noFix, .receiverSilent, .starting: true
        case .noReceiver, .receiverLost, .permissionDenied, .portBusy, .notUnderstood, .antennaFault: false
        }
    }
}

extension Location {
    /// This location as that of a device that rests: the averaged place, no speed and no course.
    public func resting(at place: RestingPlace) -> Location {
        var location = self
        location.fix = fix.resting(at: place)
        return location
    }
}

extension LiveConfiguration {
    /// How long a stream for that waits before it takes a device for one that rests.
    public var patience: MotionPatience {
        switch self {
        case .default: .any
        case .automotiveNavigation: .automotive
        case .otherNavigation, .fitness: .pedestrian
        case .airborne: .airborne
        }
    }
}
