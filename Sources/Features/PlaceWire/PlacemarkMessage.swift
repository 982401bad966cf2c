import Geodesy
import Places

/// The type `Placemark` of `io.sextant.Places`.
package struct PlacemarkMessage: Codable, Sendable, Equatable {
    /// The type `Nearby`.
    package struct Nearby: Codable, Sendable, Equatable {
        /// The name.
        package var name: String
        /// The distance from its centre to the position, in metres.
        package var distance: Double
        /// The direction from its centre to the position, in degrees from true north.
        package var bearing: Double
    }

    /// The latitude in degrees.
    package var latitude: Double
    /// The longitude in degrees.
    package var longitude: Double
    /// The radius of a place that was found, in metres.
    package var horizontalAccuracy: Double?
    /// The short name.
    package var name: String?
    /// The country's two letters.
    package var isoCountryCode: String?
    /// The name of the country.
    package var country: String?
    /// The name of the first-level division.
    package var administrativeArea: String?
    /// The name of the second-level division.
    package var subAdministrativeArea: String?
    /// The place that the position is in.
    package var locality: String?
    /// The section of the place.
    package var subLocality: String?
    /// The place that the position is near.
    package var nearby: Nearby?
    /// The nearest postal code.
    package var postalCode: String?
    /// The time zone.
    package var timeZone: String?
    /// The ocean or sea.
    package var ocean: String?
    /// The lake or river.
    package var inlandWater: String?
    /// The number of the place in GeoNames.
    package var record: Int64?
    /// The names of own places that contain the position.
    package var areasOfInterest: [String]?
    /// The identifier of the own place that was found.
    package var identifier: String?

    /// Creates the message for a placemark.
    package init(_ mark: Placemark) {
        latitude = mark.coordinate.latitude
        longitude = mark.coordinate.longitude
        horizontalAccuracy = mark.radius?.rounded()
        name = mark.name
        isoCountryCode = mark.isoCountryCode
        country = mark.country
        administrativeArea = mark.administrativeArea
        subAdministrativeArea = mark.subAdministrativeArea
        locality = mark.locality
        subLocality = mark.subLocality
        nearby = mark.nearby.map {
            let bearing = $0.bearing.rounded()
            return Nearby(name: $0.name, distance: $0.distance.rounded(), bearing: bearing >= 360 ? 0 : bearing)
        }
        postalCode = mark.postalCode
        timeZone = mark.timeZone
        ocean = mark.ocean
        inlandWater = mark.inlandWater
        record = mark.record
        areasOfInterest = mark.areasOfInterest.isEmpty ? nil : mark.areasOfInterest
        identifier = mark.identifier
    }
}
