import Geodesy

/// A place and its distance from a point.
package struct PlaceDistance: Sendable, Equatable {
    /// The place.
    package var place: Place
    /// The distance from the point to its centre, in metres.
    package var distance: Double
    /// The distance in multiples of the place's reach.
    package var weighted: Double

    /// Creates a place with its distance from `point`.
    package init(_ place: Place, from point: Coordinate) {
        self.place = place
        distance = point.distance(to: place.coordinate)
        weighted = distance / place.reach
    }

    /// Whether the point is nearer to this place than to another one, if there is one.
    func isNearer(than other: PlaceDistance?) -> Bool { distance < other?.distance ?? .infinity }

    /// Whether the point is deeper in this place than in another one, if there is one.
    package func isDeeper(than other: PlaceDistance?) -> Bool { weighted < other?.weighted ?? .infinity }
}
