/// A text that names a place: words, and after commas the country or division it is in.
package struct PlaceQuery: Sendable, Equatable {
    /// The words of the name, in lower case and without punctuation.
    package let words: [String]
    /// The words of each part after the first comma.
    package let qualifiers: [[String]]

    /// The length of a text in bytes of UTF-8, at most.
    package static let maxLength = 256
    /// The number of words and of qualifiers, at most each.
    package static let maxWords = 8

    /// Parses a text. Returns nil if it is too long, has too many words or has none.
    package init?(_ text: String) {
        guard text.utf8.count <= PlaceQuery.maxLength else { return nil }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        words = PlaceQuery.words(of: parts.first ?? "")
        qualifiers = parts.dropFirst().map { PlaceQuery.words(of: $0) }.filter { !$0.isEmpty }
        guard (1...PlaceQuery.maxWords).contains(words.count), qualifiers.count <= PlaceQuery.maxWords,
            qualifiers.allSatisfy({ $0.count <= PlaceQuery.maxWords })
        else {
            return nil
        }
    }

    private init(words: [String], qualifiers: [[String]]) {
        self.words = words
        self.qualifiers = qualifiers
    }

    /// The towns that a postal address may mean, without street, house number and postal code, the
    /// likeliest first: "Nijmegen, NL" for "Burchtstraat 20, 6511 RJ Nijmegen, NL". None without a
    /// number before the first comma. A further part with a number may be a flat.
    package var towns: [PlaceQuery] {
        guard words.contains(where: PlaceQuery.hasDigit) else { return [] }
        var towns: [PlaceQuery] = []
        for (index, part) in qualifiers.enumerated() {
            let named = part.filter { !PlaceQuery.hasDigit($0) }
            let rest = qualifiers[(index + 1)...].map { $0.filter { !PlaceQuery.hasDigit($0) } }.filter { !$0.isEmpty }
            if !named.isEmpty { towns.append(PlaceQuery(words: named, qualifiers: rest)) }
            // The two letters of a Dutch postal code.
            if part.count > 2, part[0].count == 4, PlaceQuery.hasDigit(part[0]), part[1].count == 2 {
                towns.append(PlaceQuery(words: Array(part.dropFirst(2)), qualifiers: rest))
            }
            guard part.contains(where: PlaceQuery.hasDigit) else { break }
        }
        return towns
    }

    /// Chinese and Japanese numerals are no digits: they are part of names.
    private static func hasDigit(_ word: String) -> Bool {
        word.unicodeScalars.contains { $0.properties.numericType == .decimal }
    }

    /// Returns the words of a text in lower case, as the index makes them: of letters, marks and
    /// numbers. A word begins with a letter or a number: a mark alone is no word.
    package static func words(of text: some StringProtocol) -> [String] {
        var words: [String] = []
        var word = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch WordPart(scalar) {
            case .base: word.append(lowercased(scalar))
            case .mark where !word.isEmpty: word.append(scalar)
            case .mark: break
            case nil:
                if !word.isEmpty { words.append(String(word)) }
                word = String.UnicodeScalarView()
            }
        }
        if !word.isEmpty { words.append(String(word)) }
        return words
    }

    /// Whether these are one word of at most three letters. Marks do not count.
    package static func isShort(_ words: [String]) -> Bool {
        guard words.count == 1 else { return false }
        var letters = 0
        for scalar in words[0].unicodeScalars where WordPart(scalar) == .base {
            letters += 1
            if letters > maxShortLength { return false }
        }
        return true
    }

    private static let maxShortLength = 3

    /// The lower case without the marks that it adds: the index keeps one letter per letter.
    static func lowercased(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        // Most letters are in ASCII.
        switch scalar.value {
        case 0x41...0x5A: Unicode.Scalar(UInt8(scalar.value) | 0x20)
        case ..<0x80: scalar
        default: scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
        }
    }

    /// What a character is in a word; nil outside of words.
    enum WordPart {
        case base
        case mark

        /// Whether a character is a letter of a frequent script, which needs no search in the
        /// tables of Unicode: Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic, Devanagari, Thai,
        /// Georgian, kana, Chinese and Korean.
        static func isFrequentLetter(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.value {
            case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2AF, 0x391...0x3A1, 0x3A3...0x3F5, 0x400...0x481, 0x48A...0x52F,
                0x561...0x586, 0x5D0...0x5EA, 0x620...0x64A, 0x904...0x939, 0xE01...0xE30, 0x10D0...0x10FA,
                0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FFF, 0xAC00...0xD7A3:
                true
            default: false
            }
        }

        init?(_ scalar: Unicode.Scalar) {
            if scalar.isASCII {
                switch scalar.value {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: self = .base
                default: return nil
                }
                return
            }
            if WordPart.isFrequentLetter(scalar) {
                self = .base
                return
            }
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                .letterNumber, .otherNumber, .privateUse:
                self = .base
            case .nonspacingMark, .spacingMark, .enclosingMark: self = .mark
            default: return nil
            }
        }
    }
}
