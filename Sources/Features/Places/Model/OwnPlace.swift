import Chronology
import Geodesy

/// A place that a program has named. No other program gets it.
package struct OwnPlace: Sendable, Equatable {
    /// The identifier, unique within the program.
    package var identifier: String
    /// The group with which the place can be removed; empty for none.
    package var domain: String
    package var name: String
    /// The position of its centre.
    package var coordinate: Coordinate
    /// The distance from the centre in metres within which a position is at the place.
    package var radius: Double
    /// Other names.
    package var keywords: [String]
    /// A text about it; empty for none.
    package var text: String
    /// When the program created it; nil if not stated.
    package var created: UTCTime?
    /// When the place is removed; nil for never.
    package var expiry: UTCTime?

    /// The radius in metres if the program states none, and the limits.
    package static let defaultRadius = 100.0
    private static let radii = 1.0...100_000
    /// The length of an identifier and of a domain in bytes of UTF-8, at most.
    private static let maxIdentifierLength = 128
    private static let maxKeywords = 8
    /// The length of the text in bytes of UTF-8, at most.
    private static let maxTextLength = 1024

    /// Why a place is not accepted, as text.
    package struct Invalid: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// Creates a place.
    ///
    /// - Throws: ``Invalid`` for the first value that is out of its limits.
    package init(
        identifier: String, domain: String = "", name: String, coordinate: Coordinate,
        radius: Double = OwnPlace.defaultRadius, keywords: [String] = [], text: String = "",
        created: UTCTime? = nil, expiry: UTCTime? = nil
    ) throws(Invalid) {
        guard (1...OwnPlace.maxIdentifierLength).contains(identifier.utf8.count) else {
            throw Invalid(description: "the identifier must have 1 to \(OwnPlace.maxIdentifierLength) bytes")
        }
        guard domain.utf8.count <= OwnPlace.maxIdentifierLength else {
            throw Invalid(description: "the domain must have at most \(OwnPlace.maxIdentifierLength) bytes")
        }
        guard keywords.count <= OwnPlace.maxKeywords else {
            throw Invalid(description: "there must be at most \(OwnPlace.maxKeywords) keywords")
        }
        for text in [name] + keywords where !OwnPlace.isName(text) {
            throw Invalid(
                description: "name and keywords must have a letter or a digit, no control character, and at most "
                    + "\(PlaceQuery.maxLength) bytes")
        }
        guard text.utf8.count <= OwnPlace.maxTextLength, !text.utf8.contains(0) else {
            throw Invalid(
                description: "the description must have at most \(OwnPlace.maxTextLength) bytes, none of them 0")
        }
        guard OwnPlace.radii.contains(radius) else {
            throw Invalid(description: "the radius must be 1 to 100,000 m")
        }
        self.identifier = identifier
        self.domain = domain
        self.name = name
        self.coordinate = coordinate
        self.radius = radius
        self.keywords = keywords
        self.text = text
        self.created = created
        self.expiry = expiry
    }

    private static func isName(_ text: String) -> Bool {
        text.utf8.count <= PlaceQuery.maxLength && !PlaceQuery.words(of: text).isEmpty
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// Whether a position is at the place.
    package func contains(_ point: Coordinate) -> Bool { coordinate.distance(to: point) <= radius }

    /// Whether the place is still valid.
    package func isValid(at now: UTCTime) -> Bool { expiry.map { now < $0 } ?? true }

    /// How a text names the place; nil if it does not. Case does not matter, marks on letters do.
    package func agreement(with query: PlaceQuery) -> PlaceMatch.Agreement? {
        guard query.qualifiers.isEmpty else { return nil }
        let name = PlaceQuery.words(of: name)
        if name == query.words { return .name }
        let others = keywords.map { PlaceQuery.words(of: $0) }
        if others.contains(query.words) { return .otherName }
        let isBeginning = ([name] + others).contains { words in
            query.words.allSatisfy { part in words.contains { $0.hasPrefix(part) } }
        }
        return isBeginning ? .beginning : nil
    }
}
