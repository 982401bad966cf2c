import Varlink

/// Detection of property names that resemble a property with a meaning.
///
/// Without it, `"expires"` in place of `"expiry"` becomes metadata, and the condition never
/// expires.
enum MisspeltProperty {
    /// Names that other formats use for a property, in lower case.
    private static let synonyms = ["expires": FenceFeature.Property.expiry, "expiration": FenceFeature.Property.expiry]

    /// Throws for the first property, in order of name, that resembles one of the `known` names.
    ///
    /// A known name that is present, even as null, is not misspelt. So `"dwell": null` lets a file
    /// keep `"well"` as metadata.
    static func check(_ properties: [String: JSONValue], known: [String]) throws(GeoJSONError) {
        let missing = known.filter { properties[$0] == nil }
        let unknown = properties.keys.filter { !known.contains($0) }
        for name in unknown.sorted() {
            guard let intended = missing.first(where: { resembles(name, known: $0) }) else { continue }
            throw GeoJSONError(
                member: "properties.\(name)",
                reason: "unknown property; use \"\(intended)\". To keep this one as metadata, add \"\(intended)\": null"
            )
        }
    }

    /// Returns whether `name` differs from a known name in case, in one character, or, for names of
    /// more than six characters, in two.
    static func resembles(_ name: String, known: String) -> Bool {
        let actual = Array(name.lowercased().utf8)
        let expected = Array(known.utf8)
        if synonyms[String(decoding: actual, as: UTF8.self)] == known { return true }
        let limit = expected.count > 6 ? 2 : 1
        guard abs(actual.count - expected.count) <= limit else { return false }
        return distance(from: actual, to: expected) <= limit
    }

    /// Returns the number of inserted, removed, replaced and swapped characters (optimal string
    /// alignment distance).
    private static func distance(from a: [UInt8], to b: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for row in a.indices {
            var current = [row + 1]
            for column in b.indices {
                var best = min(last[column + 1] + 1, current[column] + 1, last[column] + (a[row] == b[column] ? 0 : 1))
                if row > 0, column > 0, a[row] == b[column - 1], a[row - 1] == b[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[b.count]
    }
}
