import Chronology
import Geodesy

/// A stay at a place: where, from when, and until when.
public struct Visit: Sendable, Equatable {
    /// A moment as the machine and as the receiver had it.
    public struct Moment: Sendable, Equatable {
        /// On the machine's clock, for order.
        public var at: Instant
        /// What the receiver said it was; nil where no date was known.
        public var time: UTCTime?

        /// A moment by both clocks.
        public init(at: Instant, time: UTCTime?) {
            self.at = at
            self.time = time
        }
    }

    /// The middle of the positions during the stay.
    public var coordinate: Coordinate
    /// Metres about ``coordinate`` that held the device: two thirds of its positions, and at least the 68 % radius of the middle.
    public var radius: Double
    /// When the device came. Told late, when it had stayed long enough to be a visit.
    public var arrival: Moment
    /// When it was last seen there; nil while it is there.
    public var departure: Moment?

    /// A stay.
    public init(coordinate: Coordinate, radius: Double, arrival: Moment, departure: Moment? = nil) {
        self.coordinate = coordinate
        self.radius = radius
        self.arrival = arrival
        self.departure = departure
    }
}

/// What a ``VisitDetector`` has found out.
public enum VisitAction: Sendable, Equatable {
    /// The device is visiting a place and has been since ``Visit/arrival``.
    case arrived(Visit)
    /// It has left; ``Visit/departure`` says when.
    case departed(Visit)
}
