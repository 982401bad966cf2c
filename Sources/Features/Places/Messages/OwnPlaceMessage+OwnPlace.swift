import Chronology
import Geodesy
import SextantAPI

extension OwnPlaceMessage {
    /// Creates the message of a stored place.
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
