import Geodesy
import Glibc

/// A place that a text may name, with its score.
package struct PlaceMatch: Sendable, Equatable {
    /// How the text and the names of the place agree.
    package enum Agreement: Sendable, Equatable {
        /// The text is the name of the place.
        case name
        /// The text is another name of the place.
        case otherName
        /// The words of the text are beginnings of words of a name.
        case beginning
        /// The text is a name with this many typing errors.
        case typingErrors(Int)
    }

    /// What is added to the score of a place with the name, and of one in the country whose code is
    /// the qualifier: of the places named `Delhi, CA`, that in Canada is a little likelier.
    package static let nameScore = 2.0
    package static let countryScore = 0.5

    /// The place.
    package var place: Place
    /// How the text and the names agree.
    package var agreement: Agreement
    /// The score; the higher, the likelier.
    package var score: Double

    /// Whether the text is a name of the place, not the beginning of one or a misspelt one.
    package var isExact: Bool { agreement == .name || agreement == .otherName }

    /// Scores a place.
    ///
    /// The score is the decimal logarithm of the importance, plus 2.0 for the name and 1.4 for
    /// another name. With `near`, the logarithm of the distance in multiples of 50 km is
    /// subtracted. A typing error counts like a tenth of the population and two like a
    /// three-thousandth: they are far rarer. A section of a town counts half: with the name of a
    /// city, its section of the same name is not meant.
    package init(_ place: Place, _ agreement: Agreement, near: Coordinate? = nil) {
        var score = PlaceMatch.score(of: place)
        switch agreement {
        case .name: score += PlaceMatch.nameScore
        case .otherName: score += 1.4
        case .beginning: break
        case .typingErrors(let count): score -= count <= 1 ? 1.0 : 3.5
        }
        if place.isSection { score -= log10(2) }
        if let near { score -= log10(1 + near.distance(to: place.coordinate) / 50_000) }
        self.place = place
        self.agreement = agreement
        self.score = score
    }

    /// Returns the score that a place of this importance has for its importance alone.
    package static func score(ofImportance importance: Double) -> Double { log10(max(0, importance) + 1) }

    private static func score(of place: Place) -> Double { score(ofImportance: place.importance) }
}
