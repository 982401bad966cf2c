import Geodesy

/// The description of a point by a gazetteer: the place that it is in,
/// and the place that it is near.
package struct PointDescription: Sendable, Equatable {
    /// The place that the point is in; nil if it is in none.
    package private(set) var locality: PlaceDistance?
    /// The section of ``locality`` with the nearest centre.
    package private(set) var section: PlaceDistance?
    /// The place that the point is near, whether or not it is in it; nil if there is none within
    /// ``maxDistance``.
    package private(set) var nearby: PlaceDistance?
    /// The nearest place of the same region, which has the same division and time zone; nil if
    /// there is none within ``maxDistance``.
    package private(set) var nearest: PlaceDistance?

    /// The distance beyond which a place does not describe a point, in metres. Country and time
    /// zone come from a place within it.
    package static let maxDistance = 100_000.0
    /// The number of nearest places that are compared.
    package static let maxPlaces = 100
    /// The number of reaches within which a point is in a place. Beyond it, less than half of the
    /// answers were right.
    private static let maxReaches = 3.0
    /// The distance to the centre of a section, in metres, at most.
    private static let maxSectionDistance = 3000.0

    /// Describes `point` by the places nearest to it.
    ///
    /// The place with the smallest distance in multiples of its reach is selected, not the nearest
    /// one: a village beside a city is nearer to many of the city's streets.
    ///
    /// - Parameter region: The region that the point is in. Only places of its country are
    ///   compared. A town is not cut off by the border of a division within its reach.
    package init(_ point: Coordinate, places: [Place], in region: Region? = nil) {
        let all = places.map { PlaceDistance($0, from: point) }.filter { $0.distance <= PointDescription.maxDistance }
        let near = PointDescription.places(all, of: region)
        let best = near.filter { !$0.place.isSection }.min { $0.weighted < $1.weighted }
        let inRegion = near.filter { region == nil || $0.place.region == region?.number }
        nearest = inRegion.min { $0.distance < $1.distance }
        nearby = best ?? all.filter { !$0.place.isSection }.min { $0.weighted < $1.weighted }
        guard let best, best.weighted <= PointDescription.maxReaches else { return }
        locality = best
        // Within its reach a point is in the town rather than in the division beyond a border.
        if best.weighted <= 1 { nearest = best }
        section = near.filter {
            $0.place.isSection && $0.place.country == best.place.country
                && $0.distance <= PointDescription.maxSectionDistance
                && $0.place.coordinate.distance(to: best.place.coordinate) <= best.place.reach * 3
        }.min { $0.distance < $1.distance }
    }

    private static func places(_ all: [PlaceDistance], of region: Region?) -> [PlaceDistance] {
        guard let region, !region.country.isEmpty else { return all }
        return all.filter { $0.place.country == region.country }
    }
}
