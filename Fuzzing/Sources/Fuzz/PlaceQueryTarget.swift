@testable import Places

/// A text that a user types, and names to compare it with: lines of any bytes.
enum PlaceQueryTarget {
    /// Checks that a query is bounded and stays the same when it is written again, that a
    /// comparison finds the names with equal words, and that typing errors are counted the same in
    /// both directions.
    static func run(_ data: UnsafeRawBufferPointer) {
        let lines = data.split(separator: 10, maxSplits: 8, omittingEmptySubsequences: false)
        guard let first = lines.first else { return }
        let text = String(decoding: first, as: UTF8.self)
        check(PlaceQuery(text), of: text)
        let words = PlaceQuery.words(of: text)
        Invariant.check(
            PlaceQuery.words(of: words.joined(separator: " ")) == words, "the words \(words) of \(text) change")
        let comparison = NameComparison(words)
        for name in lines.dropFirst() { compare(words, comparison, with: UnsafeRawBufferPointer(rebasing: name)) }
    }

    private static func check(_ query: PlaceQuery?, of text: String) {
        guard let query else { return }
        let all = [query.words] + query.qualifiers
        Invariant.check(
            all.count <= PlaceQuery.maxWords + 1
                && all.allSatisfy { !$0.isEmpty && $0.count <= PlaceQuery.maxWords && !$0.contains("") },
            "the query \(text) has the parts \(all)")
        let written = all.map { $0.joined(separator: " ") }.joined(separator: ",")
        guard written.utf8.count <= PlaceQuery.maxLength else { return }
        Invariant.check(PlaceQuery(written) == query, "the query \(text) is another one as \(written)")
    }

    private static func compare(
        _ words: [String], _ comparison: NameComparison, with bytes: UnsafeRawBufferPointer
    ) {
        let name = String(decoding: bytes, as: UTF8.self)
        guard !words.isEmpty else { return }
        Invariant.check(
            comparison.matches(name) == (PlaceQuery.words(of: name) == words),
            "\(words) is compared wrongly with \(name)")
        let alike = bytes.split(separator: UInt8(ascii: ",")).contains {
            PlaceQuery.words(of: String(decoding: $0, as: UTF8.self)) == words
        }
        Invariant.check(
            comparison.matchesAny(of: bytes) == alike, "\(words) is compared wrongly with the names \(name)")
        let (first, second) = (Array(words[0].unicodeScalars), Array(name.unicodeScalars))
        let limit = SpellingDistance.allowed(length: first.count)
        let distance = SpellingDistance.between(first, second, atMost: limit)
        Invariant.check(
            distance == SpellingDistance.between(second, first, atMost: limit), "the errors of \(first) in \(second)")
        Invariant.check((distance == 0) == (first == second), "\(first) has \(distance ?? -1) errors in \(second)")
    }
}
