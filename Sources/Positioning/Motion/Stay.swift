import Chronology
import Geodesy

/// Positions that have kept to one place until now: a visit, or what may become one.
struct Stay: Sendable {
    /// Positions after which the middle moves no more than slowly.
    private static let settles = 60.0

    private let plane: LocalPlane
    private var east = 0.0
    private var north = 0.0
    /// Mean square distance from the middle, and mean radius of the fixes.
    private var spread = 0.0
    private var radius: Double
    private var count = 1.0
    let first: Visit.Moment
    private(set) var last: Visit.Moment
    /// The device was at rest at some time.
    var hasRested: Bool
    /// It is now.
    var isResting: Bool

    init(_ coordinate: Coordinate, _ radius: Double, _ moment: Visit.Moment, _ state: MotionState) {
        plane = LocalPlane(origin: coordinate)
        self.radius = radius
        (first, last) = (moment, moment)
        hasRested = state == .stationary
        isResting = hasRested
    }

    var visit: Visit {
        let coordinate = plane.coordinate(at: LocalPlane.Offset(east: east, north: north))
        let averaged = RestingPlace.averaged(radius, over: last.at - first.at)
        return Visit(coordinate: coordinate, radius: max(averaged, 1.07 * spread.squareRoot()), arrival: first)
    }

    /// Whether a position with that 68 % radius lies in the place.
    func holds(_ coordinate: Coordinate, _ radius: Double) -> Bool { distance(coordinate) <= VisitDetector.reach + radius }

    /// Whether it may yet, allowing twice its error.
    func isNear(_ coordinate: Coordinate, _ radius: Double) -> Bool { distance(coordinate) <= VisitDetector.reach + 2 * radius }

    mutating func take(_ coordinate: Coordinate, _ radius: Double, _ moment: Visit.Moment) {
        last = moment
        count = min(count + 1, Stay.settles)
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
