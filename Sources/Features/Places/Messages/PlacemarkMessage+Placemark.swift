import Geodesy
import SextantAPI
import Varlink

extension PlacemarkMessage {
    /// The length of most messages in bytes, at most.
    fileprivate static let usualLength = 384

    /// Creates the message for a placemark.
    package init(_ mark: Placemark) {
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
        EncodedObject(inOrder: self, capacity: PlacemarkMessage.usualLength * (placemarks.count + 1))
    }
}

extension ForwardReply {
    /// The reply as JSON, in the order of the interface.
    package var encoded: EncodedObject {
        EncodedObject(inOrder: self, capacity: PlacemarkMessage.usualLength * (placemarks.count + 1))
    }
}
