import Geodesy

/// A place and its distance from a point.
package struct PlaceDistance: Sendable, Equatable {
    /// The place.
    package var place: Place
    /// The distance from the point to its centre, in metres.
    package var distance: Double

    /// Creates a place with its distance from `point`.
    package init(_ place: Place, from point: Coordinate) {
        self.place = place
        distance = point.distance(to: place.coordinate)
    }

    /// The distance in multiples of the place's reach.
    package var weighted: Double { distance / place.reach }
}
