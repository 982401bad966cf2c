import Geodesy
import SQLite

/// The search for names in a file of places.
package struct PlaceSearch {
    private let file: PlacesFile

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
    ///   - radius: Only places within this distance from `near`, in metres.
    ///   - kinds: Only places with one of these codes of GeoNames; all if it is empty.
    ///   - countries: The names of countries for qualifiers, besides those of the file.
    ///   - isComplete: Whether the user has typed the whole text.
    ///   - limit: The number of places, at most.
    package func matches(
        _ query: PlaceQuery, country: String? = nil, near: Coordinate? = nil, radius: Double? = nil,
        kinds: [String] = [], countries: [CountryName] = [], isComplete: Bool = false, limit: Int
    ) throws(PlacesError) -> [PlaceMatch] {
        var filters: [DivisionSet] = []
        for qualifier in query.qualifiers { filters.append(try divisions(qualifier, countries)) }
        if let country { filters.append(DivisionSet([country.uppercased()], qualifier: [])) }
        guard !filters.contains(where: \.isEmpty) else { return [] }
        let request = SearchRequest(query: query, filters: filters, near: near, radius: radius, kinds: kinds)
        var (matches, isNamed) =
            near == nil
            ? try likeliest(request, isComplete: isComplete, limit: limit)
            : try candidates(request)
        if let near { matches += try neighbours(request, near, besides: matches) }
        if matches.isEmpty || isComplete && !isNamed {
            let known = matches.map(\.place)
            matches += try misspelt(request).filter { !known.contains($0.place) }
        }
        return Array(matches.sorted { $0.score > $1.score }.prefix(max(0, limit)))
    }

    /// What places are compared with.
    private struct SearchRequest {
        let query: PlaceQuery
        let filters: [DivisionSet]
        let near: Coordinate?
        let radius: Double?
        let kinds: [String]
        let comparison: NameComparison

        init(query: PlaceQuery, filters: [DivisionSet], near: Coordinate?, radius: Double?, kinds: [String]) {
            self.query = query
            self.filters = filters
            self.near = near
            self.radius = radius
            self.kinds = kinds
            comparison = NameComparison(query.words)
        }

        /// The match of a place within the filters.
        func match(_ place: Place, _ agreement: PlaceMatch.Agreement) -> PlaceMatch {
            var match = PlaceMatch(place, agreement, near: near)
            if filters.contains(where: { $0.isCode(of: place.country) }) { match.score += PlaceMatch.countryScore }
            return match
        }

        func isWithin(_ row: borrowing Statement) -> Bool {
            if !kinds.isEmpty, !kinds.contains(row.textIfAny(3) ?? Place.usualKind) { return false }
            if radius != nil, !isWithinRadius(PlacesFile.coordinate(of: row)) { return false }
            if filters.isEmpty { return true }
            let country = row.text(4)
            let division = row.text(5)
            return filters.allSatisfy { $0.contains(country: country, division: division) }
        }

        func isWithin(_ place: Place) -> Bool {
            (kinds.isEmpty || kinds.contains(place.kind)) && isWithinRadius(place.coordinate)
                && filters.allSatisfy { $0.contains(country: place.country, division: place.division) }
        }

        private func isWithinRadius(_ point: Coordinate?) -> Bool {
            guard let radius, let near else { return true }
            return point.map { near.distance(to: $0) <= radius } ?? false
        }

        /// How the text agrees with the names of a row.
        func agreement(with row: borrowing Statement) -> PlaceMatch.Agreement {
            if row.withBytes(0, { comparison.matches($0) })
                || row.withBytes(PlacesQueries.aliases, { comparison.matchesFirst(of: $0) })
            {
                return .name
            }
            return row.withBytes(PlacesQueries.aliases) { comparison.matchesAny(of: $0) } ? .otherName : .beginning
        }
    }

    /// The countries and divisions with all words of a qualifier; if there are none, with words
    /// that begin like them.
    private func divisions(
        _ qualifier: [String], _ countries: [CountryName]
    ) throws(PlacesError) -> DivisionSet {
        for isComplete in [true, false] {
            let words = isComplete ? PlaceSearch.completeWords(qualifier) : PlaceSearch.expression(qualifier)
            let codes = try file.rows(
                PlacesQueries.divisions, [.text(words), .integer(PlaceSearch.maxDivisions)]
            ) { $0.text(0) }
            let named = countries.filter { $0.matches(qualifier, asBeginnings: !isComplete) }.map(\.code)
            let set = DivisionSet(codes + named, qualifier: qualifier)
            if !set.hasNoName { return set }
        }
        return DivisionSet([], qualifier: qualifier)
    }

    /// The places with the highest scores, and whether the text is the name of one.
    ///
    /// Of places whose names only begin with the text, the score has almost the order of the index,
    /// so a few more than asked for are read. Names that are equal to the text have all the words.
    private func likeliest(
        _ request: SearchRequest, isComplete: Bool, limit: Int
    ) throws(PlacesError) -> (matches: [PlaceMatch], isNamed: Bool) {
        var best = BestMatches(limit: limit)
        let maxBonus = request.filters.isEmpty ? 0 : PlaceMatch.countryScore
        try forEachPlace(PlacesQueries.beginnings, PlaceSearch.expression(request.query.words), request) { row in
            guard !best.excludes(PlaceSearch.score(of: row, .beginning) + maxBonus) else { return false }
            if let place = file.place(of: row) {
                best.add(request.match(place, .beginning), number: row.integer(PlacesQueries.number))
            }
            return true
        }
        var isNamed = false
        let named = PlaceQuery.isShort(request.query.words) ? PlacesQueries.shortNames : PlacesQueries.names
        try forEachPlace(named, PlaceSearch.completeWords(request.query.words), request) { row in
            // A complete text is compared with misspelt names, unless it is the name of any place.
            if isNamed || !isComplete {
                let bonus = PlaceMatch.nameScore + maxBonus
                // A capital may follow larger towns with lower scores.
                guard !best.excludes(PlaceSearch.maxScore(of: row) + bonus) else { return false }
                guard !best.excludes(PlaceSearch.score(of: row, .name) + bonus) else { return true }
            }
            let agreement = request.agreement(with: row)
            guard agreement != .beginning, let place = file.place(of: row) else { return true }
            isNamed = true
            best.add(request.match(place, agreement), number: row.integer(PlacesQueries.number))
            return true
        }
        return (best.matches, isNamed)
    }

    /// Calls `body` with the places of an expression in the order of the index, up to the largest
    /// number or until it returns false.
    private func forEachPlace(
        _ rows: Query, _ expression: String, _ request: SearchRequest,
        _ body: (borrowing Statement) throws(StoreError) -> Bool
    ) throws(PlacesError) {
        var read = 0
        try file.forEachRow(of: rows, [.text(expression)]) { row throws(StoreError) in
            guard request.isWithin(row) else { return true }
            read += 1
            return try body(row) && read < PlaceSearch.maxCandidates
        }
    }

    /// The score of a row for its population and kind.
    private static func score(of row: borrowing Statement, _ agreement: PlaceMatch.Agreement) -> Double {
        let factor = row.textIfAny(3).map { PlaceMatch.factor(of: $0, agreement) } ?? 1
        return PlaceMatch.score(ofPopulation: Double(row.integer(7)) * factor)
    }

    /// The highest score of a row and those after it.
    private static func maxScore(of row: borrowing Statement) -> Double {
        PlaceMatch.score(ofPopulation: Double(row.integer(7)) * PlaceMatch.maxFactor)
    }

    /// The largest places with a name that begins with the text, and whether it is the name
    /// of one.
    private func candidates(_ request: SearchRequest) throws(PlacesError) -> (matches: [PlaceMatch], isNamed: Bool) {
        var matches: [PlaceMatch] = []
        try bounded(request) { () throws(PlacesError) in
            try forEachPlace(PlacesQueries.names, PlaceSearch.expression(request.query.words), request) { row in
                if let place = file.place(of: row) {
                    matches.append(request.match(place, request.agreement(with: row)))
                }
                return true
            }
        }
        return (matches, matches.contains(where: \.isExact))
    }

    /// Ends the work of `body` at its limit without an error if there is a radius: of very many
    /// places that begin like a text, few may be within it, and those nearest to the point are
    /// compared too.
    private func bounded(_ request: SearchRequest, _ body: () throws(PlacesError) -> Void) throws(PlacesError) {
        do throws(PlacesError) {
            try body()
        } catch {
            guard error == .tooBroad, request.radius != nil else { throw error }
        }
    }

    /// The places near a point, which may be too small to be among the largest ones.
    private func neighbours(
        _ request: SearchRequest, _ near: Coordinate, besides known: [PlaceMatch]
    ) throws(PlacesError) -> [PlaceMatch] {
        guard known.count >= PlaceSearch.maxCandidates || request.radius != nil else { return [] }
        return try file.nearest(to: near).compactMap { place in
            let words = PlaceQuery.words(of: place.name)
            guard request.query.words.allSatisfy({ part in words.contains { $0.hasPrefix(part) } }),
                request.isWithin(place), !known.contains(where: { $0.place == place })
            else { return nil }
            return request.match(place, request.comparison.matches(place.name) ? .name : .beginning)
        }
    }

    /// The places whose name is the text with few typing errors, among those with the same three
    /// first letters, and among the larger ones with the same first letter.
    private func misspelt(_ request: SearchRequest) throws(PlacesError) -> [PlaceMatch] {
        let text = Array(request.query.words.joined(separator: " ").unicodeScalars)
        let allowed = SpellingDistance.allowed(length: text.count)
        guard let first = request.query.words.first, text.count > 2 else { return [] }
        var matches: [PlaceMatch] = []
        for length in [3, 1] where first.unicodeScalars.count >= length {
            let beginning = String(String.UnicodeScalarView(first.unicodeScalars.prefix(length)))
            var compared = 0
            try bounded(request) { () throws(PlacesError) in
                let rows = [SQLValue.text(PlaceSearch.expression([beginning]))]
                try file.forEachRow(of: PlacesQueries.names, rows) { row in
                    compared += 1
                    if let errors = PlaceSearch.errors(of: text, in: row, atMost: allowed),
                        request.isWithin(row), let place = file.place(of: row),
                        !matches.contains(where: { $0.place == place })
                    {
                        matches.append(request.match(place, .typingErrors(errors)))
                    }
                    return compared < PlaceSearch.maxSpellings
                }
            }
        }
        return matches
    }

    /// The number of typing errors to the name or the first other name, which is in ASCII.
    private static func errors(
        of text: [Unicode.Scalar], in row: borrowing Statement, atMost limit: Int
    ) -> Int? {
        let name = row.withBytes(0) { errors(of: text, in: $0, atMost: limit) }
        let ascii = row.withBytes(PlacesQueries.aliases) { bytes in
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

    /// An expression of FTS5 for all words. Words have no quotation marks.
    private static func completeWords(_ words: [String]) -> String {
        words.map { "\"\($0)\"" }.joined(separator: " AND ")
    }

    /// An expression of FTS5 for all words as beginnings. Words have no quotation marks.
    private static func expression(_ words: [String]) -> String {
        words.map { "\"\($0)\"*" }.joined(separator: " AND ")
    }
}

/// The queries of a file of places.
enum PlacesQueries {
    private static let columns = """
        p.name, p.latitude, p.longitude, p.kind, p.country, p.division, p.subdivision, p.population, \
        p.zone, p.region, p.record
        """
    /// The indexes of the columns after those of a place.
    static let number: Int32 = 11
    static let aliases: Int32 = 12

    static let candidates = Query("SELECT 1 FROM position WHERE id MATCH candidates() LIMIT 1")
    static let place = Query("SELECT \(columns) FROM place AS p WHERE p.id = ?1")
    static let farPlaces = Query(
        """
        SELECT g.id, p.region FROM position AS g JOIN place AS p ON p.id = g.id
        WHERE g.id MATCH nearest(?1, ?2, ?3)
        """)
    static let hasPlaces = Query("SELECT hasPlaces FROM region WHERE id = ?1")
    static let postalCode = Query(
        """
        SELECT p.code FROM postal_position AS g JOIN postal AS p ON p.id = g.id
        WHERE g.id MATCH nearest(?1, ?2, ?3) AND p.country = ?4 LIMIT 1
        """)
    static let divisionName = Query(
        """
        SELECT coalesce((SELECT l.name FROM localized AS l WHERE l.record = d.record AND l.language = ?2), d.name)
        FROM division AS d WHERE d.code = ?1
        """)
    static let countryZone = Query(
        "SELECT z.name FROM country_zone AS c JOIN zone AS z ON z.id = c.zone WHERE c.country = ?1")
    static let localizedName = Query("SELECT name FROM localized WHERE record = ?1 AND language = ?2")
    static let region = Query("SELECT id, kind, country, name FROM region WHERE id = ?1")
    static let parts = Query(
        """
        SELECT r.id, r.kind, r.country, r.name, p.shape FROM box AS b
        JOIN part AS p ON p.id = b.id JOIN region AS r ON r.id = p.region
        WHERE b.south <= ?1 + ?3 AND b.north >= ?1 - ?3 AND b.west <= ?2 + ?4 AND b.east >= ?2 - ?4 ORDER BY b.id
        """)
    static let zone = Query("SELECT name FROM zone WHERE id = ?1")
    static let beginnings = Query(
        """
        SELECT \(columns), p.id FROM words AS w JOIN place AS p ON p.id = w.rowid
        WHERE words MATCH ?1 ORDER BY w.rowid
        """)
    static let names = Query(
        """
        SELECT \(columns), p.id, p.aliases FROM words AS w JOIN place AS p ON p.id = w.rowid
        WHERE words MATCH ?1 ORDER BY w.rowid
        """)
    static let shortNames = Query(
        """
        SELECT \(columns), p.id, p.aliases FROM short_names AS w JOIN place AS p ON p.id = w.rowid
        WHERE short_names MATCH ?1 ORDER BY w.rowid
        """)
    static let divisions = Query(
        """
        SELECT d.code FROM divisions AS w JOIN division AS d ON d.id = w.rowid
        WHERE divisions MATCH ?1 LIMIT ?2
        """)
}
