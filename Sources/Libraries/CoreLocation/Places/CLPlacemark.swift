import Foundation

/// A place with its name and address, as far as they are known.
open class CLPlacemark: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// What a placemark consists of. The keys of the texts are the names of the members.
    struct Content: Sendable {
        var location: CLLocation?
        var region: CLRegion?
        var timeZone: TimeZone?
        var texts: [String: String] = [:]
        var areasOfInterest: [String]?
    }

    let content: Content

    init(content: Content) {
        self.content = content
    }

    /// Creates a placemark with the members of another one.
    public init(placemark: CLPlacemark) {
        content = placemark.content
    }

    /// The position of the place.
    open var location: CLLocation? { content.location }
    /// The area of the place.
    open var region: CLRegion? { content.region }
    /// The time zone of the place.
    open var timeZone: TimeZone? { content.timeZone }
    /// The name of the place.
    open var name: String? { content.texts["name"] }
    /// The street.
    open var thoroughfare: String? { content.texts["thoroughfare"] }
    /// The number of the building.
    open var subThoroughfare: String? { content.texts["subThoroughfare"] }
    /// The town.
    open var locality: String? { content.texts["locality"] }
    /// The part of the town.
    open var subLocality: String? { content.texts["subLocality"] }
    /// The state or province.
    open var administrativeArea: String? { content.texts["administrativeArea"] }
    /// The part of the state or province.
    open var subAdministrativeArea: String? { content.texts["subAdministrativeArea"] }
    /// The postal code.
    open var postalCode: String? { content.texts["postalCode"] }
    /// The two letters of the country.
    open var isoCountryCode: String? { content.texts["isoCountryCode"] }
    /// The name of the country.
    open var country: String? { content.texts["country"] }
    /// The lake or river.
    open var inlandWater: String? { content.texts["inlandWater"] }
    /// The sea.
    open var ocean: String? { content.texts["ocean"] }
    /// Known places nearby.
    open var areasOfInterest: [String]? { content.areasOfInterest }

    /// Name, town and country as text.
    open override var description: String {
        [name, locality, administrativeArea, country].compactMap(\.self).joined(separator: ", ")
    }

    /// Returns the placemark itself, which does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Placemarks can be decoded securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the placemark into an archive with keys.
    open func encode(with coder: NSCoder) {
        for (key, text) in content.texts { coder.encode(NSString(string: text), forKey: key) }
        if let location { coder.encode(location, forKey: "location") }
        if let region { coder.encode(region, forKey: "region") }
        if let timeZone { coder.encode(NSString(string: timeZone.identifier), forKey: "timeZone") }
    }

    /// Reads a placemark from an archive.
    public required init?(coder: NSCoder) {
        var content = Content()
        for key in Self.textKeys {
            content.texts[key] = coder.decodeObject(of: NSString.self, forKey: key).map { String(describing: $0) }
        }
        content.location = coder.decodeObject(of: CLLocation.self, forKey: "location")
        content.region = coder.decodeObject(of: [CLCircularRegion.self, CLRegion.self], forKey: "region") as? CLRegion
        content.timeZone = coder.decodeObject(of: NSString.self, forKey: "timeZone")
            .flatMap { TimeZone(identifier: String(describing: $0)) }
        self.content = content
    }

    static let textKeys = [
        "name", "thoroughfare", "subThoroughfare", "locality", "subLocality", "administrativeArea",
        "subAdministrativeArea", "postalCode", "isoCountryCode", "country", "inlandWater", "ocean",
    ]
}
