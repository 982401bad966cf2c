import Varlink

/// The interface `io.sextant.Places`.
package enum PlacesInterface {
    /// The name of the interface.
    package static let name = "io.sextant.Places"
    /// The text of the interface.
    package static var text: String {
        String(decoding: PackageResources.io_sextant_Places_varlink, as: UTF8.self)
    }

    /// The largest number of places in a reply.
    package static let maxLimit = 50
    /// The largest number of kinds in a call.
    package static let maxKinds = 16
    /// The largest number of own places, or of identifiers, in a call.
    package static let maxOwnPlaces = 500
    /// The largest number of own places in a reply.
    package static let maxListedPlaces = 100
}

/// The methods of `io.sextant.Places`.
package enum PlacesMethods {
    /// `Reverse`.
    package static let reverse = Method<ReverseParameters, PlacemarksReply>("io.sextant.Places.Reverse")
    /// `Where`.
    package static let `where` = Method<WhereParameters, PlacemarksReply>("io.sextant.Places.Where")
    /// `Forward`.
    package static let forward = Method<FindParameters, ForwardReply>("io.sextant.Places.Forward")
    /// `Search`.
    package static let search = Method<FindParameters, PlacemarksReply>("io.sextant.Places.Search")
    /// `Put`.
    package static let put = Method<PutParameters, NoParameters>("io.sextant.Places.Put")
    /// `Remove`.
    package static let remove = Method<RemoveParameters, RemovedReply>("io.sextant.Places.Remove")
    /// `RemoveDomain`.
    package static let removeDomain = Method<DomainParameters, RemovedReply>("io.sextant.Places.RemoveDomain")
    /// `RemoveAll`.
    package static let removeAll = Method<NoParameters, RemovedReply>("io.sextant.Places.RemoveAll")
    /// `OwnPlaces`.
    package static let ownPlaces = Method<OwnPlacesParameters, OwnPlacesReply>("io.sextant.Places.OwnPlaces")
    /// `Sources`.
    package static let sources = Method<NoParameters, SourcesReply>("io.sextant.Places.Sources")
}

/// The parameters of `Reverse`.
package struct ReverseParameters: Codable, Sendable, Equatable {
    /// The latitude in degrees.
    package var latitude: Double
    /// The longitude in degrees.
    package var longitude: Double
    /// The letters of the language.
    package var language: String?
    /// The number of placemarks, at most.
    package var limit: Int?

    /// Creates the parameters.
    package init(latitude: Double, longitude: Double, language: String? = nil, limit: Int? = nil) {
        self.latitude = latitude
        self.longitude = longitude
        self.language = language
        self.limit = limit
    }
}

/// The parameters of `Where`.
package struct WhereParameters: Codable, Sendable, Equatable {
    /// The letters of the language.
    package var language: String?

    /// Creates the parameters.
    package init(language: String? = nil) { self.language = language }
}

/// The parameters of `Forward` and `Search`.
package struct FindParameters: Codable, Sendable, Equatable {
    /// The type `Point`.
    package struct Point: Codable, Sendable, Equatable {
        /// The latitude in degrees.
        package var latitude: Double
        /// The longitude in degrees.
        package var longitude: Double

        /// Creates a point.
        package init(latitude: Double, longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// The name.
    package var text: String
    /// Places near this position come first.
    package var near: Point?
    /// Only places within this distance from ``near``, in metres.
    package var radius: Double?
    /// Only places of these kinds.
    package var kinds: [String]?
    /// Only places of this country.
    package var country: String?
    /// The letters of the language.
    package var language: String?
    /// The number of places, at most.
    package var limit: Int?

    /// Creates the parameters.
    package init(
        text: String, near: Point? = nil, radius: Double? = nil, kinds: [String]? = nil, country: String? = nil,
        language: String? = nil, limit: Int? = nil
    ) {
        self.text = text
        self.near = near
        self.radius = radius
        self.kinds = kinds
        self.country = country
        self.language = language
        self.limit = limit
    }
}

/// The reply to `Reverse`, `Where` and `Search`.
package struct PlacemarksReply: Codable, Sendable, Equatable {
    /// The placemarks.
    package var placemarks: [PlacemarkMessage]

    /// Creates a reply.
    package init(placemarks: [PlacemarkMessage]) {
        self.placemarks = placemarks
    }
}

/// The reply to `Forward`.
package struct ForwardReply: Codable, Sendable, Equatable {
    /// The placemarks.
    package var placemarks: [PlacemarkMessage]
    /// Whether the text is not the whole name of the first one.
    package var partial: Bool

    /// Creates a reply.
    package init(placemarks: [PlacemarkMessage], partial: Bool) {
        self.placemarks = placemarks
        self.partial = partial
    }
}

/// The reply to `Sources`.
package struct SourcesReply: Codable, Sendable, Equatable {
    /// The imported files.
    package var sources: [SourceMessage]

    /// Creates a reply.
    package init(sources: [SourceMessage]) {
        self.sources = sources
    }
}

/// The type `Source` of `io.sextant.Places`.
package struct SourceMessage: Codable, Sendable, Equatable {
    /// The name of the file.
    package var name: String
    /// What it contains.
    package var contents: String
    /// The licence of the data.
    package var licence: String
    /// The text that the licence requires.
    package var attribution: String
    /// The date of the newest change.
    package var date: String?
    /// The number of records.
    package var rows: Int64
    /// The number of invalid lines.
    package var errors: Int64

    /// Creates the message for an imported file.
    package init(
        name: String, contents: String, licence: String, attribution: String, date: String?, rows: Int64, errors: Int64
    ) {
        self.name = name
        self.contents = contents
        self.licence = licence
        self.attribution = attribution
        self.date = date
        self.rows = rows
        self.errors = errors
    }
}
