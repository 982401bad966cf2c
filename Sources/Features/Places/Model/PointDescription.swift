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
    /// - Parameters:
    ///   - candidates: The nearest places, the nearest first.
    ///   - region: The region that the point is in. Only places of its country are compared. A town
    ///     is not cut off by the border of a division within its reach.
    ///   - read: Reads a place by its index in `candidates`. It is called only for places that can
    ///     change the description.
    package init<E: Error>(
        _ point: Coordinate, candidates: [PlaceCandidate], in region: Region? = nil,
        read: (Int) throws(E) -> Place?
    ) throws(E) {
        var best: PlaceDistance?
        var foreign: PlaceDistance?
        for (index, candidate) in candidates.enumerated() {
            let canBeNearest = candidate.minDistance <= nearest?.distance ?? .infinity
            guard canBeNearest || candidate.minWeighted <= best?.weighted ?? .infinity else { continue }
            guard let place = try read(index).map({ PlaceDistance($0, from: point) }),
                place.distance <= PointDescription.maxDistance
            else { continue }
            let isForeign = !PointDescription.isCountry(of: region, place.place)
            if !isForeign, region == nil || place.place.region == region?.number, place.isNearer(than: nearest) {
                nearest = place
            }
            guard !place.place.isSection else { continue }
            if isForeign {
                if place.isDeeper(than: foreign) { foreign = place }
            } else if place.isDeeper(than: best) {
                best = place
            }
        }
        nearby = best ?? foreign
        guard let best, best.weighted <= PointDescription.maxReaches else { return }
        locality = best
        // Within its reach a point is in the town rather than in the division beyond a border.
        if best.weighted <= 1 { nearest = best }
        section = try PointDescription.section(of: best.place, at: point, candidates, read)
    }

    /// The section of a town with the nearest centre.
    private static func section<E: Error>(
        of town: Place, at point: Coordinate, _ candidates: [PlaceCandidate], _ read: (Int) throws(E) -> Place?
    ) throws(E) -> PlaceDistance? {
        var section: PlaceDistance?
        for (index, candidate) in candidates.enumerated()
        where candidate.minDistance <= section?.distance ?? maxSectionDistance {
            guard let place = try read(index).map({ PlaceDistance($0, from: point) }), place.place.isSection,
                place.place.country == town.country, place.distance <= maxSectionDistance,
                place.isNearer(than: section),
                place.place.coordinate.distance(to: town.coordinate) <= town.reach * 3
            else { continue }
            section = place
        }
        return section
    }

    private static func isCountry(of region: Region?, _ place: Place) -> Bool {
        guard let region, !region.country.isEmpty else { return true }
        return place.country == region.country
    }
}

/// A place and its distance from a point.
package struct PlaceDistance: Sendable, Equatable {
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
