import Geodesy
import Places

/// The output of `where` and `find` as JSON.
struct PlacemarksOutput: Encodable {
    var placemarks: [PlacemarkOutput]
}

/// One result of `where` or `find`. What is not known is absent.
struct PlacemarkOutput: Encodable {
    /// The place that a position is near.
    struct Nearby: Encodable {
        var name: String
        /// The distance to its centre in metres.
        var distance: Double
        /// The direction from its centre to the position, in degrees from true north.
        var bearing: Double
    }

    var isoCountryCode: String?
    var administrativeArea: String?
    var locality: String?
    var subLocality: String?
    var nearby: Nearby?
    var timeZone: String?
    var latitude: Double
    var longitude: Double

    /// Creates the result for a position; `division` is the name of the division of `nearby`.
    init(_ description: PointDescription, nearby: PlaceDistance, point: Coordinate, division: String?) {
        self.init(nearby.place, at: point, division: division)
        locality = description.locality?.place.name
        subLocality = description.section?.place.name
        self.nearby = Nearby(
            name: nearby.place.name, distance: nearby.distance.rounded(),
            bearing: nearby.place.coordinate.initialBearing(to: point).rounded())
    }

    /// Creates the result for a place that was found.
    init(_ place: Place, at point: Coordinate, division: String?) {
        isoCountryCode = place.country.isEmpty ? nil : place.country
        administrativeArea = division
        locality = place.name
        timeZone = place.timeZone.isEmpty ? nil : place.timeZone
        latitude = point.latitude
        longitude = point.longitude
    }

    /// The result in one line.
    var text: String {
        var first = [locality, administrativeArea, isoCountryCode].compactMap { $0 }.joined(separator: ", ")
        if locality == nil, let nearby {
            first += " · \(Int((nearby.distance / 1000).rounded())) km from \(nearby.name)"
        }
        return [first, subLocality, timeZone].compactMap { $0 }.joined(separator: " · ")
    }
}
