/// A country's code and its names.
package struct CountryName: Sendable, Equatable {
    /// The two letters (ISO 3166-1).
    package var code: String
    /// The names in the order of preference.
    package var names: [String]

    /// Creates the names of a country.
    package init(code: String, names: [String]) {
        self.code = code
        self.names = names
    }

    /// Whether the words of a qualifier are words of one name, or begin words of it, or are the
    /// code.
    package func matches(_ qualifier: [String], asBeginnings: Bool) -> Bool {
        if qualifier == PlaceQuery.words(of: code) { return true }
        return names.contains { name in
            let words = PlaceQuery.words(of: name)
            return qualifier.allSatisfy { part in
                asBeginnings ? words.contains { $0.hasPrefix(part) } : words.contains(part)
            }
        }
    }

    /// Parses tzdata's `iso3166.tab`: lines with a code, a tab and an English name; comments begin
    /// with "#". Other lines are ignored.
    package static func table(_ text: String) -> [CountryName] {
        text.split(separator: "\n").compactMap { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard !line.hasPrefix("#"), columns.count == 2, columns[0].count == 2, !columns[1].isEmpty else {
                return nil
            }
            return CountryName(code: String(columns[0]), names: [String(columns[1])])
        }
    }
}
