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
    /// The score is the decimal logarithm of the population, plus 2.0 for the name and 1.4 for
    /// another name, plus 1.0 for a capital and 0.3 for the seat of a division. With `near`, the
    /// logarithm of the distance in multiples of 50 km is subtracted. A typing error counts like a
    /// tenth of the population.
    package init(_ place: Place, _ agreement: Agreement, near: Coordinate? = nil) {
        var score = log10(Double(max(0, place.population)) + 1)
        switch agreement {
        case .name: score += 2.0
        case .otherName: score += 1.4
        case .beginning: break
        case .typingErrors(let count): score -= Double(count)
        }
        score += place.kind == "PPLC" ? 1.0 : place.kind == "PPLA" ? 0.3 : 0
        if let near { score -= log10(1 + near.distance(to: place.coordinate) / 50_000) }
        self.place = place
        self.agreement = agreement
        self.score = score
    }
}
