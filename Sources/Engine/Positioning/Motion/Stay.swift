import Chronology
import Geodesy

/// A stay at a place, with its arrival and departure.
public struct Stay: Sendable, Equatable {
    /// A moment by the host's clock and by the receiver's clock.
    public struct Moment: Sendable, Equatable {
        /// The instant on the host's monotonic clock, for ordering.
        public var at: Instant
        /// The receiver's time; nil if no date was known.
        public var time: UTCTime?

        /// Creates a moment from both clocks.
        public init(at: Instant, time: UTCTime?) {
            self.at = at
            self.time = time
        }
    }

    /// The mean position during the stay.
    public var coordinate: Coordinate
    /// The radius in metres about ``coordinate`` that contains two thirds of the positions; at
    /// least the 68 % radius of the mean.
    public var radius: Double
    /// The time of arrival. It is published later, when the stay is long enough to be a visit.
    public var arrival: Moment
    /// The last time at which the device was there; nil while it is still there.
    public var departure: Moment?

    /// Creates a visit.
    public init(coordinate: Coordinate, radius: Double, arrival: Moment, departure: Moment? = nil) {
        self.coordinate = coordinate
        self.radius = radius
        self.arrival = arrival
        self.departure = departure
    }
}

/// A result of ``VisitDetector``.
public enum VisitAction: Sendable, Equatable {
    /// The device is visiting a place since ``Stay/arrival``.
    case arrived(Stay)
    /// The device has left; see ``Stay/departure``.
    case departed(Stay)
}
