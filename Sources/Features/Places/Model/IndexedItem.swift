import Chronology
import Geodesy
import Varlink

/// An entry of the index of a program. No other program gets it.
package struct IndexedItem: Sendable, Equatable {
    /// The identifier, unique within the index of a program.
    package let identifier: String
    /// The group with which the item can be removed; empty for none.
    package let domain: String
    /// From when on the item is not found any more; nil for never.
    package let expiry: UTCTime?
    /// What describes it, by Core Spotlight's names.
    package let attributes: [String: JSONValue]
    /// ``attributes`` as JSON.
    package let json: [UInt8]
    /// An image for lists; empty for none.
    package let thumbnail: [UInt8]

    /// The length of an identifier and of a domain in bytes of UTF-8, at most.
    package static let maxNameLength = 256
    /// The length of the attributes as JSON and of a thumbnail in bytes, at most. Both fit into one
    /// message of the socket.
    private static let maxAttributesLength = 16_384
    private static let maxThumbnailLength = 49_152
    /// The number of attributes, and of texts in one of them, at most.
    private static let maxAttributes = 64
    private static let maxTexts = 64
    private static let maxAttributeName = 64

    /// Why an item is not accepted, as text.
    package struct Invalid: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// Creates an item.
    ///
    /// - Throws: ``Invalid`` for the first value that is out of its limits.
    package init(
        identifier: String, domain: String = "", expiry: UTCTime? = nil, attributes: [String: JSONValue] = [:],
        thumbnail: [UInt8] = []
    ) throws(Invalid) {
        guard (1...IndexedItem.maxNameLength).contains(identifier.utf8.count) else {
            throw Invalid(description: "the identifier must have 1 to \(IndexedItem.maxNameLength) bytes")
        }
        guard domain.utf8.count <= IndexedItem.maxNameLength else {
            throw Invalid(description: "the domain must have at most \(IndexedItem.maxNameLength) bytes")
        }
        guard thumbnail.count <= IndexedItem.maxThumbnailLength else {
            throw Invalid(description: "the thumbnail must have at most \(IndexedItem.maxThumbnailLength) bytes")
        }
        guard attributes.count <= IndexedItem.maxAttributes else {
            throw Invalid(description: "there must be at most \(IndexedItem.maxAttributes) attributes")
        }
        for (name, value) in attributes { try IndexedItem.check(value, named: name) }
        json = JSONValue.object(attributes).bytes
        guard json.count <= IndexedItem.maxAttributesLength else {
            throw Invalid(
                description: "the attributes have \(json.count) bytes as JSON, at most "
                    + "\(IndexedItem.maxAttributesLength) are possible: shorten the texts")
        }
        self.identifier = identifier
        self.domain = domain
        self.expiry = expiry
        self.attributes = attributes
        self.thumbnail = thumbnail
        let position = [attributes["latitude"], attributes["longitude"]].compactMap { $0 }
        guard position.isEmpty || coordinate != nil else {
            throw Invalid(description: "the latitude must be -90 to 90, the longitude -180 to 180, and both be present")
        }
    }

    private static func check(_ value: JSONValue, named name: String) throws(Invalid) {
        guard (1...maxAttributeName).contains(name.utf8.count) else {
            throw Invalid(description: "the name of an attribute must have 1 to \(maxAttributeName) bytes")
        }
        switch value {
        case .string, .int, .double, .bool: return
        case .array(let values) where values.allSatisfy({ $0.string != nil }):
            guard values.count <= maxTexts else {
                throw Invalid(description: "\(name) has \(values.count) texts, at most \(maxTexts) are possible")
            }
        default: throw Invalid(description: "\(name) must be a text, a number, a truth value or an array of texts")
        }
    }

    /// The position that the attributes state; nil if they state none.
    package var coordinate: Coordinate? {
        guard let latitude = attributes["latitude"]?.double, let longitude = attributes["longitude"]?.double else {
            return nil
        }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// What the item counts for the limit of a program, in bytes.
    package var byteCount: Int { identifier.utf8.count + domain.utf8.count + json.count + thumbnail.count }

    /// The attributes that are the title of an item, and those in which words are found besides.
    package static let titles = ["title", "displayName"]
    static let texts = [
        "contentDescription", "keywords", "alternateNames", "comment", "subject", "namedLocation", "authorNames",
        "recipientNames", "textContent", "city", "stateOrProvince", "country", "fullyFormattedAddress", "kind",
    ]

    /// The texts of attributes, separated by spaces.
    func words(of names: [String]) -> String {
        names.flatMap { IndexedItem.texts(of: attributes[$0]) }.joined(separator: " ")
    }

    /// The texts of a value: itself, or its elements.
    static func texts(of value: JSONValue?) -> [String] {
        value?.string.map { [$0] } ?? value?.array?.compactMap(\.string) ?? []
    }
}
