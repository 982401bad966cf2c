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
