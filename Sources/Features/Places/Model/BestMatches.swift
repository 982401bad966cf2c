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
