import Geodesy
import Glibc

/// A place that a text may name, with its score.
package struct PlaceMatch: Sendable, Equatable {
    /// The place.
    package var place: Place
    /// Whether the text is a name of the place, not only the beginning of one.
    package var isExact: Bool
    /// The score; the higher, the likelier.
    package var score: Double

    /// Scores a place for the words of a query.
    ///
    /// The score is the decimal logarithm of the population, plus 2.0 for the name and 1.4 for
    /// another name, plus 1.0 for a capital and 0.3 for the seat of a division. With `near`, the
    /// logarithm of the distance in multiples of 50 km is subtracted.
    ///
    /// - Parameter otherNames: The other names of the place.
    package init(_ place: Place, otherNames: [String], words: [String], near: Coordinate? = nil) {
        let isName = PlaceQuery.words(of: place.name) == words
        let isOtherName = !isName && otherNames.contains { PlaceQuery.words(of: $0) == words }
        var score = log10(Double(max(0, place.population)) + 1)
        score += isName ? 2.0 : isOtherName ? 1.4 : 0
        score += place.kind == "PPLC" ? 1.0 : place.kind == "PPLA" ? 0.3 : 0
        if let near { score -= log10(1 + near.distance(to: place.coordinate) / 50_000) }
        self.place = place
        isExact = isName || isOtherName
        self.score = score
    }
}
