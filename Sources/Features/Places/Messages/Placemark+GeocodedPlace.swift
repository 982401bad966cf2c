import Chronology
import Geodesy
import SextantAPI
@_exported import SextantAPI
import Varlink

extension Placemark {
    /// The length of most messages in bytes, at most.
    fileprivate static let usualLength = 384

    /// Creates the message for a placemark.
    package init(_ mark: GeocodedPlace) {
        self.init(
            latitude: mark.coordinate.latitude, longitude: mark.coordinate.longitude,
            horizontalAccuracy: mark.radius?.rounded(), name: mark.name, isoCountryCode: mark.isoCountryCode,
            country: mark.country,
            administrativeArea: mark.administrativeArea, subAdministrativeArea: mark.subAdministrativeArea,
            locality: mark.locality, subLocality: mark.subLocality, postalCode: mark.postalCode,
            timeZone: mark.timeZone, ocean: mark.ocean, inlandWater: mark.inlandWater,
            record: mark.record.map { Int($0) },
            areasOfInterest: mark.areasOfInterest.isEmpty ? nil : mark.areasOfInterest, identifier: mark.identifier)
        nearby = mark.nearby.map {
            let bearing = $0.bearing.rounded()
            return NearbyMessage(name: $0.name, distance: $0.distance.rounded(), bearing: bearing >= 360 ? 0 : bearing)
        }
    }
}

// A general encoder takes as long for ten placemarks as the search for them.

extension PlacemarksReply {
    /// The reply as JSON, in the order of the interface.
    package var encoded: EncodedObject {
        EncodedObject(inOrder: self, capacity: Placemark.usualLength * (placemarks.count + 1))
    }
}

extension ForwardReply {
    /// The reply as JSON, in the order of the interface.
    package var encoded: EncodedObject {
        EncodedObject(inOrder: self, capacity: Placemark.usualLength * (placemarks.count + 1))
    }
}

extension PlacesInterface {
    /// The largest number of places in a reply.
    package static let maxLimit = 50
    /// The largest number of kinds in a call.
    package static let maxKinds = 16
    /// The largest number of own places, or of identifiers, in a call.
    package static let maxOwnPlaces = 500
    /// The largest number of own places in a reply.
    package static let maxListedPlaces = 100
}

extension OwnPlaceMessage {
    package init(_ place: OwnPlace) {
        self.init(
            identifier: place.identifier, domain: place.domain.isEmpty ? nil : place.domain, name: place.name,
            latitude: place.coordinate.latitude, longitude: place.coordinate.longitude, radius: place.radius,
            keywords: place.keywords.isEmpty ? nil : place.keywords,
            description: place.text.isEmpty ? nil : place.text, created: place.created?.description,
            expiry: place.expiry?.description)
    }

    /// The place.
    ///
    /// - Parameter index: The position in the call, for the error.
    /// - Throws: ``PlacesFailure/invalidPlace(index:reason:)``.
    package func place(at index: Int) throws(PlacesFailure) -> OwnPlace {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw .invalidPlace(index: index, reason: "the latitude must be -90 to 90, the longitude -180 to 180")
        }
        let start = try time(created, named: "created", at: index)
        let end = try time(expiry, named: "expiry", at: index)
        do throws(OwnPlace.Invalid) {
            return try OwnPlace(
                identifier: identifier, domain: domain ?? "", name: name, coordinate: coordinate,
                radius: radius ?? OwnPlace.defaultRadius, keywords: keywords ?? [], text: description ?? "",
                created: start, expiry: end)
        } catch {
            throw .invalidPlace(index: index, reason: error.description)
        }
    }

    private func time(_ text: String?, named name: String, at index: Int) throws(PlacesFailure) -> UTCTime? {
        guard let text else { return nil }
        guard let time = UTCTime(rfc3339: text) else {
            throw .invalidPlace(index: index, reason: "\(name) must be a time such as 2027-01-01T00:00:00Z")
        }
        return time
    }
}

extension PlacesInterface {
    package static var text: String {
        String(decoding: PackageResources.io_sextant_Places_varlink, as: UTF8.self)
    }
}
