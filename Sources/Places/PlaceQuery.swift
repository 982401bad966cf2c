/// A text that names a place: words, and after commas the country or division it is in.
package struct PlaceQuery: Sendable, Equatable {
    /// The words of the name, in lower case, without marks and punctuation.
    package let words: [String]
    /// The parts after the first comma, unchanged except for spaces at their ends.
    package let qualifiers: [String]

    /// The length of a text in bytes of UTF-8, at most.
    package static let maxLength = 256
    /// The number of words and of qualifiers, at most each.
    package static let maxWords = 8

    /// Parses a text. Returns nil if it is too long, has too many words or has none.
    package init?(_ text: String) {
        guard text.utf8.count <= PlaceQuery.maxLength else { return nil }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        words = PlaceQuery.words(of: parts.first ?? "")
        qualifiers = parts.dropFirst().map(PlaceQuery.trimmed).filter { !$0.isEmpty }
        guard (1...PlaceQuery.maxWords).contains(words.count), qualifiers.count <= PlaceQuery.maxWords else {
            return nil
        }
    }

    /// Returns the words of a text in lower case. Letters, marks and numbers make words, as for
    /// the index; nonspacing marks that lower case adds are removed.
    package static func words(of text: String) -> [String] {
        var words: [String] = []
        var word = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isPartOfWord(scalar) {
                word.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars.prefix(1))
            } else if !word.isEmpty {
                words.append(String(word))
                word = String.UnicodeScalarView()
            }
        }
        if !word.isEmpty { words.append(String(word)) }
        return words
    }

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber, .privateUse:
            true
        default: false
        }
    }

    private static func trimmed(_ text: String) -> String {
        let rest = text.drop { $0.isWhitespace }
        guard let last = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(rest[...last])
    }
}
