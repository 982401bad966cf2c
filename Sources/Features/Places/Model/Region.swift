/// An area of a data set of borders, such as a country or a time zone.
package struct Region: Sendable, Equatable {
    /// What a region is.
    package enum Kind: String, Sendable, CaseIterable {
        /// A country.
        case country
        /// A first-level division of a country.
        case division = "admin1"
        /// A time zone.
        case zone
        /// An ocean or a sea.
        case ocean
        /// A lake or a river.
        case lake
    }

    /// The number in the file.
    package var number: Int64
    package var kind: Kind
    /// The country's two letters; empty if unknown.
    package var country: String
    /// The name, or that of the time zone in the IANA database; empty if unknown.
    package var name: String

    package init(number: Int64, kind: Kind, country: String, name: String) {
        self.number = number
        self.kind = kind
        self.country = country
        self.name = name
    }

    package var hasCountry: Bool { kind == .country || kind == .division }
}

/// A country's code and its names.
package struct CountryName: Sendable, Equatable {
    /// The two letters (ISO 3166-1).
    package var code: String
    /// The names in the order of preference.
    package var names: [String]

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

/// The countries and divisions that a qualifier of a query names.
package struct DivisionSet: Sendable, Equatable {
    /// The length of a code in letters, at most.
    private static let maxCodeLength = 3

    private let codes: Set<String>
    private let letters: String?

    /// Creates a set.
    ///
    /// - Parameters:
    ///   - codes: Codes such as `NL` and `NL.03`.
    ///   - qualifier: The words of the qualifier, which can be a code themselves.
    package init(_ codes: some Sequence<String>, qualifier: [String]) {
        self.codes = Set(codes)
        let word = qualifier.count == 1 ? qualifier.first?.uppercased() : nil
        letters = word.flatMap { $0.utf8.count <= DivisionSet.maxCodeLength ? $0 : nil }
    }

    /// Whether no country or division is known by that name.
    package var hasNoName: Bool { codes.isEmpty }

    /// Whether it contains no place.
    package var isEmpty: Bool { codes.isEmpty && letters == nil }

    /// Whether the qualifier is the code of this country. `CA` is also that of a division.
    package func isCode(of country: String) -> Bool { letters == country }

    /// Whether a place is in one of them.
    package func contains(country: String, division: String) -> Bool {
        if let letters, letters == country || letters == division { return true }
        return codes.contains(country) || codes.contains("\(country).\(division)")
    }
}
