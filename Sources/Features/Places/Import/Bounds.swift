import Geodesy

/// The least box of latitudes and longitudes around points, in degrees.
struct Bounds: Equatable {
    var south: Double
    var north: Double
    var west: Double
    var east: Double

    /// Creates the box around the rings of a polygon; nil without a point.
    init?(_ rings: [[Coordinate]]) {
        // The outer ring contains the others.
        guard let ring = rings.first, let first = ring.first else { return nil }
        south = first.latitude
        north = first.latitude
        west = first.longitude
        east = first.longitude
        for point in ring {
            south = min(south, point.latitude)
            north = max(north, point.latitude)
            west = min(west, point.longitude)
            east = max(east, point.longitude)
        }
    }
}
