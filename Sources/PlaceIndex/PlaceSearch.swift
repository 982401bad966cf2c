import Geodesy
import Places
import Store

/// The search for names in a file of places.
package struct PlaceSearch {
    private let file: PlacesFile

    /// Creates a search.
    package init(_ file: PlacesFile) {
        self.file = file
    }

    /// The number of rows that are ranked for one text, at most.
    private static let maxCandidates = 200
    /// The number of rows that are compared with a misspelt text, at most.
    private static let maxSpellings = 3000
    /// The number of divisions that a qualifier names, at most.
    private static let maxDivisions: Int64 = 500

    /// Returns the places that a text may name, the likeliest first.
    ///
    /// Each word of the query is the beginning of a word of a name, or of the country or division
    /// in a qualifier. If there is no such place, those with a name of one typing error are
    /// returned; from six letters, of two. A complete text is compared with these also if it is the
    /// beginning of a name, but no whole name.
    ///
    /// - Parameters:
    ///   - country: Only places of this country, by its two letters.
    ///   - near: Places near this point come first.
    ///   - countries: The names of countries for qualifiers, besides those of the file.
    ///   - isComplete: Whether the user has typed the whole text.
    ///   - limit: The number of places, at most.
    package func matches(
        _ query: PlaceQuery, country: String? = nil, near: Coordinate? = nil, countries: [CountryName] = [],
        isComplete: Bool = false, limit: Int
    ) throws(PlacesError) -> [PlaceMatch] {
        var filters: [DivisionSet] = []
        for qualifier in query.qualifiers { filters.append(try divisions(qualifier, countries)) }
        if let country { filters.append(DivisionSet([country.uppercased()], qualifier: [])) }
        guard !filters.contains(where: \.isEmpty) else { return [] }
        var matches =
            near == nil && PlaceSearch.isShort(query)
            ? try mostImportant(query, filters, limit: limit)
            : try candidates(query, PlaceSearch.expression(query.words), filters, near: near)
        if let near { matches += try neighbours(query, filters, near: near, besides: matches) }
        if matches.isEmpty || isComplete && !matches.contains(where: \.isExact) {
            let known = matches.map(\.place)
            matches += try misspelt(query, filters, near: near).filter { !known.contains($0.place) }
        }
        for index in matches.indices where filters.contains(where: { $0.isCode(of: matches[index].place.country) }) {
            matches[index].score += PlaceMatch.countryScore
        }
        return Array(matches.sorted { $0.score > $1.score }.prefix(max(0, limit)))
    }

    /// The countries and divisions with all words of a qualifier; if there are none, with words
    /// that begin like them.
    private func divisions(
        _ qualifier: [String], _ countries: [CountryName]
    ) throws(PlacesError) -> DivisionSet {
        for isComplete in [true, false] {
            let words = isComplete ? PlaceSearch.completeWords(qualifier) : PlaceSearch.expression(qualifier)
            let codes = try file.rows(
                """
                SELECT d.code FROM divisions AS w JOIN division AS d ON d.id = w.rowid
                WHERE divisions MATCH ?1 LIMIT ?2
                """, [.text(words), .integer(PlaceSearch.maxDivisions)]
            ) { $0.text(0) }
            let named = countries.filter { $0.matches(qualifier, asBeginnings: !isComplete) }.map(\.code)
            let set = DivisionSet(codes + named, qualifier: qualifier)
            if !set.hasNoName { return set }
        }
        return DivisionSet([], qualifier: qualifier)
    }

    /// Whether so many names begin with a text that reading the most important ones takes long.
    private static func isShort(_ query: PlaceQuery) -> Bool {
        query.words.count == 1 && query.words[0].unicodeScalars.count <= 3
    }

    /// The most important places with a name that begins with a word, and those whose name it is.
    ///
    /// Of places whose names only begin with it, the score has the order of the index.
    private func mostImportant(
        _ query: PlaceQuery, _ filters: [DivisionSet], limit: Int
    ) throws(PlacesError) -> [PlaceMatch] {
        let first = try candidates(query, PlaceSearch.expression(query.words), filters, near: nil, limit: limit)
        let named = try candidates(
            query, PlaceSearch.completeWords(query.words), filters, near: nil, areNamed: true,
            minScore: first.count < limit ? nil : first.map(\.score).min())
        return first + named.filter { match in !first.contains { $0.place == match.place } }
    }

    /// The places of an expression in the order of the index.
    ///
    /// - Parameters:
    ///   - areNamed: Only places whose name the text is; the others are read nevertheless.
    ///   - minScore: The places end where none can have this score any more.
    ///   - limit: The number of places that are read, at most.
    private func candidates(
        _ query: PlaceQuery, _ expression: String, _ filters: [DivisionSet], near: Coordinate?,
        areNamed: Bool = false, minScore: Double? = nil, limit: Int = PlaceSearch.maxCandidates
    ) throws(PlacesError) -> [PlaceMatch] {
        let comparison = NameComparison(query.words)
        var matches: [PlaceMatch] = []
        var read = 0
        try file.forEachRow(
            of: """
                SELECT \(PlacesFile.columns), p.aliases FROM words AS w JOIN place AS p ON p.id = w.rowid
                WHERE words MATCH ?1 ORDER BY w.rowid
                """, [.text(expression)]
        ) { row in
            guard PlaceSearch.isWithin(filters, row) else { return true }
            read += 1
            let agreement = PlaceSearch.agreement(of: comparison, with: row)
            if let minScore, let place = PlacesFile.place(of: row), PlaceMatch.maxScore(of: place) < minScore {
                return false
            }
            if !areNamed || agreement != .beginning, let place = PlacesFile.place(of: row) {
                matches.append(PlaceMatch(place, agreement, near: near))
            }
            return read < limit
        }
        return matches
    }

    private static func agreement(
        of comparison: NameComparison, with row: borrowing Statement
    ) -> PlaceMatch.Agreement {
        if comparison.matches(row.text(0))
            || row.withBytes(PlacesFile.nextColumn, { comparison.matchesFirst(of: $0) })
        {
            return .name
        }
        return row.withBytes(PlacesFile.nextColumn) { comparison.matchesAny(of: $0) } ? .otherName : .beginning
    }

    /// The places near a point, which may be too small to be among the most important ones.
    private func neighbours(
        _ query: PlaceQuery, _ filters: [DivisionSet], near: Coordinate, besides known: [PlaceMatch]
    ) throws(PlacesError) -> [PlaceMatch] {
        guard known.count >= PlaceSearch.maxCandidates else { return [] }
        let comparison = NameComparison(query.words)
        return try file.nearest(to: near).compactMap { place in
            let words = PlaceQuery.words(of: place.name)
            guard query.words.allSatisfy({ part in words.contains { $0.hasPrefix(part) } }),
                filters.allSatisfy({ $0.contains(country: place.country, division: place.division) }),
                !known.contains(where: { $0.place == place })
            else { return nil }
            return PlaceMatch(place, comparison.matches(place.name) ? .name : .beginning, near: near)
        }
    }

    /// The places whose name is the text with few typing errors, among those with the same three
    /// first letters, and among the more important ones with the same first letter.
    private func misspelt(
        _ query: PlaceQuery, _ filters: [DivisionSet], near: Coordinate?
    ) throws(PlacesError) -> [PlaceMatch] {
        let text = Array(query.words.joined(separator: " ").unicodeScalars)
        let allowed = SpellingDistance.allowed(length: text.count)
        guard let first = query.words.first, text.count > 2 else { return [] }
        var matches: [PlaceMatch] = []
        for length in [3, 1] where first.unicodeScalars.count >= length {
            let beginning = String(String.UnicodeScalarView(first.unicodeScalars.prefix(length)))
            var compared = 0
            try file.forEachRow(
                of: """
                    SELECT \(PlacesFile.columns), p.aliases FROM words AS w JOIN place AS p ON p.id = w.rowid
                    WHERE words MATCH ?1 ORDER BY w.rowid
                    """, [.text(PlaceSearch.expression([beginning]))]
            ) { row in
                compared += 1
                if let errors = PlaceSearch.errors(of: text, in: row, atMost: allowed),
                    PlaceSearch.isWithin(filters, row), let place = PlacesFile.place(of: row),
                    !matches.contains(where: { $0.place == place })
                {
                    matches.append(PlaceMatch(place, .typingErrors(errors), near: near))
                }
                return compared < PlaceSearch.maxSpellings
            }
        }
        return matches
    }

    /// The number of typing errors to the name or the first other name, which is in ASCII.
    private static func errors(
        of text: [Unicode.Scalar], in row: borrowing Statement, atMost limit: Int
    ) -> Int? {
        let name = row.withBytes(0) { errors(of: text, in: $0, atMost: limit) }
        let ascii = row.withBytes(PlacesFile.nextColumn) { bytes in
            let end = bytes.firstIndex(of: UInt8(ascii: ",")) ?? bytes.endIndex
            return errors(of: text, in: UnsafeRawBufferPointer(rebasing: bytes[..<end]), atMost: limit)
        }
        return [name, ascii].compactMap { $0 }.min()
    }

    /// The number of typing errors to a name. Most names are too short or too long, which their
    /// bytes show.
    private static func errors(
        of text: [Unicode.Scalar], in name: UnsafeRawBufferPointer, atMost limit: Int
    ) -> Int? {
        guard name.count + limit >= text.count, NameComparison.leastLength(of: name) <= text.count + limit else {
            return nil
        }
        let words = PlaceQuery.words(of: String(decoding: name.prefix(PlaceQuery.maxLength), as: UTF8.self))
        return SpellingDistance.between(text, Array(words.joined(separator: " ").unicodeScalars), atMost: limit)
    }

    private static func isWithin(_ filters: [DivisionSet], _ row: borrowing Statement) -> Bool {
        if filters.isEmpty { return true }
        let country = row.text(4)
        let division = row.text(5)
        return filters.allSatisfy { $0.contains(country: country, division: division) }
    }

    /// An expression of FTS5 for all words. Words have no quotation marks.
    private static func completeWords(_ words: [String]) -> String {
        words.map { "\"\($0)\"" }.joined(separator: " AND ")
    }

    /// An expression of FTS5 for all words as beginnings. Words have no quotation marks.
    private static func expression(_ words: [String]) -> String {
        words.map { "\"\($0)\"*" }.joined(separator: " AND ")
    }
}
