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
    /// another name. A capital and a seat of a division count more if the text is their name, not
    /// if it is a part of it: `San Francisco` is not Quito, one of whose names begins like this.
    /// With `near`, the logarithm of the distance in multiples of 50 km is subtracted. A typing
    /// error counts like a tenth of the population and two like a three-thousandth: they are far
    /// rarer. A section of a town counts half: with the name of a city, its section of the same
    /// name is not meant.
    package init(_ place: Place, _ agreement: Agreement, near: Coordinate? = nil) {
        let factor = PlaceMatch.factor(of: place.kind, agreement)
        var score = PlaceMatch.score(ofPopulation: Double(place.population) * factor)
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

    /// Returns the score that a place has for its population alone.
    package static func score(ofPopulation population: Double) -> Double { log10(max(0, population) + 1) }

    /// Returns the number by which the population of a place of this kind is multiplied.
    ///
    /// With thirty instead of ten, more names of capitals, of towns with weather stations and of
    /// towns in other languages name the intended place (`docs/places.md`).
    package static func factor(of kind: String, _ agreement: Agreement) -> Double {
        switch (kind, agreement) {
        case (_, .beginning): 1
        case ("PPLC", .otherName): otherCapitalFactor
        case ("PPLC", _): maxFactor
        case ("PPLA", .name), ("PPLA", .typingErrors): 2
        default: 1
        }
    }

    /// The factor of the name of a capital, which is the largest, and that of its other names:
    /// `Philadelphia` is a former name of Amman, and `Dili` is Delhi in a few languages.
    package static let maxFactor = 30.0
    private static let otherCapitalFactor = 4.0
}

/// The matches of a text with the highest scores, while an index is read.
package struct BestMatches {
    private let limit: Int
    /// The matches with the numbers of their places, the best first.
    private var ranked: [(number: Int64, match: PlaceMatch)] = []

    /// Collects a number of matches.
    package init(limit: Int) {
        self.limit = limit
        ranked.reserveCapacity(limit + 1)
    }

    /// The matches, the best first. Of equal ones, the first that was added.
    package var matches: [PlaceMatch] { ranked.map(\.match) }

    /// Whether no match of this score or less is among the best any more.
    package func excludes(_ score: Double) -> Bool {
        ranked.count >= limit && score <= ranked.last?.match.score ?? .infinity
    }

    /// Adds the match of a place, instead of one with a lower score that was added before.
    package mutating func add(_ match: PlaceMatch, number: Int64) {
        guard !excludes(match.score) else { return }
        if let known = ranked.firstIndex(where: { $0.number == number }) {
            guard ranked[known].match.score < match.score else { return }
            ranked.remove(at: known)
        }
        ranked.insert((number, match), at: ranked.firstIndex { $0.match.score < match.score } ?? ranked.count)
        if ranked.count > limit { ranked.removeLast() }
    }
}
