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

/// Consecutive positions at one place until now: a visit, or a candidate for one.
struct StayEstimate: Sendable {
    /// The number of positions after which the middle moves only slowly.
    private static let maxWeight = 60.0

    private let plane: LocalPlane
    private var east = 0.0
    private var north = 0.0
    /// The mean square distance from the middle, in square metres; ``radius`` is the mean radius of
    /// the fixes.
    private var spread = 0.0
    private var radius: Double
    private var count = 1.0
    private(set) var first: Stay.Moment
    private(set) var last: Stay.Moment
    /// Whether the device was stationary at any time during the stay.
    var hasRested: Bool
    /// Whether the device is stationary now.
    var isResting: Bool

    init(at coordinate: Coordinate, radius: Double, moment: Stay.Moment, state: MotionState) {
        plane = LocalPlane(origin: coordinate)
        self.radius = radius
        (first, last) = (moment, moment)
        hasRested = state == .stationary
        isResting = hasRested
    }

    /// Continues a visit of an earlier run. When the device was last there is not known.
    init(continuing visit: Stay, at now: Instant) {
        self.init(
            at: visit.coordinate, radius: visit.radius, moment: Stay.Moment(at: now, time: nil), state: .stationary)
        first.time = visit.arrival.time
        count = StayEstimate.maxWeight
    }

    var visit: Stay {
        let coordinate = plane.coordinate(at: LocalPlane.Offset(east: east, north: north))
        let averaged = StationaryPlace.averaged(radius, over: last.at - first.at)
        return Stay(coordinate: coordinate, radius: max(averaged, 1.07 * spread.squareRoot()), arrival: first)
    }

    /// Returns whether a position with that 68 % radius lies in the place.
    func contains(_ coordinate: Coordinate, radius: Double) -> Bool {
        distance(coordinate) <= VisitDetector.placeRadius + radius
    }

    /// Returns whether a position may lie in the place, with twice its error as tolerance.
    func isNear(_ coordinate: Coordinate, radius: Double) -> Bool {
        distance(coordinate) <= VisitDetector.placeRadius + 2 * radius
    }

    mutating func add(_ coordinate: Coordinate, radius: Double, moment: Stay.Moment) {
        last = moment
        count = min(count + 1, StayEstimate.maxWeight)
        let offset = plane.offset(of: coordinate)
        let (x, y) = (offset.east - east, offset.north - north)
        spread += (x * x + y * y - spread) / count
        east += x / count
        north += y / count
        self.radius += (radius - self.radius) / count
    }

    private func distance(_ coordinate: Coordinate) -> Double {
        let offset = plane.offset(of: coordinate)
        let (x, y) = (offset.east - east, offset.north - north)
        return (x * x + y * y).squareRoot()
    }
}
