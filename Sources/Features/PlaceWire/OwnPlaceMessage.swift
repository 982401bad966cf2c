import Chronology
import Geodesy
import Places

/// The type `OwnPlace` of `io.sextant.Places`.
package struct OwnPlaceMessage: Codable, Sendable, Equatable {
    /// The identifier within the program.
    package var identifier: String
    /// The group of places.
    package var domain: String?
    /// The name.
    package var name: String
    /// The latitude in degrees.
    package var latitude: Double
    /// The longitude in degrees.
    package var longitude: Double
    /// The radius in metres.
    package var radius: Double?
    /// Other names.
    package var keywords: [String]?
    /// A text about the place.
    package var description: String?
    /// The time of creation, RFC 3339.
    package var created: String?
    /// The time of removal, RFC 3339.
    package var expiry: String?

    /// Creates the message of a place.
    package init(
        identifier: String, domain: String? = nil, name: String, latitude: Double, longitude: Double,
        radius: Double? = nil, keywords: [String]? = nil, description: String? = nil, created: String? = nil,
        expiry: String? = nil
    ) {
        self.identifier = identifier
        self.domain = domain
        self.name = name
        self.latitude = latitude
        self.longitude = longitude
        self.radius = radius
        self.keywords = keywords
        self.description = description
        self.created = created
        self.expiry = expiry
    }

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

/// The parameters of `Put`.
package struct PutParameters: Codable, Sendable, Equatable {
    /// The places.
    package var places: [OwnPlaceMessage]

    /// Creates the parameters.
    package init(places: [OwnPlaceMessage]) { self.places = places }
}

/// The parameters of `Remove`.
package struct RemoveParameters: Codable, Sendable, Equatable {
    /// The identifiers of the places.
    package var identifiers: [String]

    /// Creates the parameters.
    package init(identifiers: [String]) { self.identifiers = identifiers }
}

/// The parameters of `RemoveDomain`.
package struct DomainParameters: Codable, Sendable, Equatable {
    /// The domain.
    package var domain: String

    /// Creates the parameters.
    package init(domain: String) { self.domain = domain }
}

/// The parameters of `OwnPlaces`.
package struct OwnPlacesParameters: Codable, Sendable, Equatable {
    /// Only places of this domain.
    package var domain: String?
    /// Only places after this identifier.
    package var after: String?

    /// Creates the parameters.
    package init(domain: String? = nil, after: String? = nil) { (self.domain, self.after) = (domain, after) }
}

/// The reply to methods that remove own places.
package struct RemovedReply: Codable, Sendable, Equatable {
    /// The number of places that existed.
    package var removed: Int

    /// Creates a reply.
    package init(removed: Int) { self.removed = removed }
}

/// The reply to `OwnPlaces`.
package struct OwnPlacesReply: Codable, Sendable, Equatable {
    /// The places, sorted by identifier.
    package var places: [OwnPlaceMessage]

    /// Creates a reply.
    package init(places: [OwnPlaceMessage]) { self.places = places }
}
