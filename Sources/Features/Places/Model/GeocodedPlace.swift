import Geodesy

/// The description of a position by names. What is not known is nil.
package struct GeocodedPlace: Sendable, Equatable {
    /// The place that a position is near.
    package struct Nearby: Sendable, Equatable {
        package var name: String
        /// The distance from its centre to the position, in metres.
        package var distance: Double
        /// The direction from its centre to the position, in degrees from true north.
        package var bearing: Double

        /// Creates the description of a position by a place beside it.
        package init(_ place: PlaceDistance, name: String, point: Coordinate) {
            self.name = name
            distance = place.distance
            bearing = place.place.coordinate.initialBearing(to: point)
        }
    }

    /// The position that is described, or that of the place that was found.
    package var coordinate: Coordinate
    /// The radius in metres within which the place probably is; nil for a given position.
    package var radius: Double?
    /// The country's two letters (ISO 3166-1).
    package var isoCountryCode: String?
    package var country: String?
    /// The name of the first-level division.
    package var administrativeArea: String?
    /// The name of the second-level division.
    package var subAdministrativeArea: String?
    /// The place that the position is in.
    package var locality: String?
    /// The section of the place.
    package var subLocality: String?
    /// A place that the position is near, whether or not it is in it.
    package var nearby: Nearby?
    /// The nearest postal code; approximate.
    package var postalCode: String?
    /// The time zone's name in the IANA database.
    package var timeZone: String?
    /// The name of the ocean or sea.
    package var ocean: String?
    /// The name of the lake or river.
    package var inlandWater: String?
    /// The gazetteer's record of the place.
    package var record: Int64?
    /// The names of the program's own places that contain the position, the nearest first.
    package var areasOfInterest: [String] = []
    /// The name of the program's own place that was found.
    package var ownName: String?
    /// The identifier of the program's own place that was found.
    package var identifier: String?

    /// Creates the description of a position of which nothing is known.
    package init(_ coordinate: Coordinate) {
        self.coordinate = coordinate
    }

    /// The short name: of the own place, else of the place, water, division or country.
    package var name: String? {
        ownName ?? areasOfInterest.first ?? locality ?? inlandWater ?? ocean ?? administrativeArea ?? country
    }

    /// The description in one line.
    package var text: String {
        let names = [
            ownName ?? areasOfInterest.first, locality, administrativeArea, country ?? isoCountryCode, inlandWater,
            ocean,
        ].compactMap { $0 }
        var parts = names.isEmpty ? [] : [names.joined(separator: ", ")]
        if locality == nil, let nearby {
            let kilometres = Int(max(0, min(20_100, (nearby.distance / 1000).rounded())))
            parts.append("\(kilometres) km \(GeocodedPlace.direction(nearby.bearing)) of \(nearby.name)")
        }
        return (parts + [subLocality, timeZone].compactMap { $0 }).joined(separator: " · ")
    }

    /// The direction as one of eight letters or pairs of letters.
    private static func direction(_ bearing: Double) -> String {
        let names = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
        guard bearing.isFinite, (0...360).contains(bearing) else { return "" }
        return names[Int((bearing / 45).rounded()) % names.count]
    }
}

extension GeocodedPlace {
    /// The description without what is more exact than a reduced location.
    package var reduced: GeocodedPlace {
        var mark = self
        mark.subLocality = nil
        mark.postalCode = nil
        mark.nearby = nil
        mark.areasOfInterest = []
        return mark
    }
}
