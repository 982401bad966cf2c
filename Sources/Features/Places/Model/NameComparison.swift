import Glibc

/// The words that a user typed, to compare them with many names.
///
/// Most names differ in their first letter, which is compared without finding words: one large city
/// has some hundred names, in many scripts.
package struct NameComparison: Sendable {
    private let words: [String]
    private let first: UInt8
    /// The first letter; nil if a mark follows it, with which it may be another letter.
    private let firstLetter: Unicode.Scalar?
    /// The words in UTF-8 without spaces.
    private let letters: [UInt8]

    /// Creates a comparison with the words of a query.
    package init(_ words: [String]) {
        self.words = words
        first = words.first?.utf8.first ?? 0
        let beginning = words.first.map { Array($0.unicodeScalars.prefix(2)) } ?? []
        let isMarked = beginning.count > 1 && NameComparison.mayJoin(beginning[1])
        firstLetter = isMarked ? nil : beginning.first
        letters = words.flatMap { Array($0.utf8) }
    }

    /// Whether these are all words of a name, in any case.
    package func matches(_ name: some StringProtocol) -> Bool {
        var name = String(name)
        return name.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
    }

    /// Whether these are all words of a name in UTF-8, in any case.
    package func matches(_ name: UnsafeRawBufferPointer) -> Bool {
        guard let byte = name.first, mayMatch(byte, before: name.count > 1 ? name[1] : nil) else { return false }
        return hasFirstLetter(name) && beginsAlike(name)
            && PlaceQuery.words(of: String(decoding: name, as: UTF8.self)) == words
    }

    /// Whether these are all words of one of several names, separated by commas in UTF-8.
    package func matchesAny(of names: UnsafeRawBufferPointer) -> Bool {
        var rest = names
        while !rest.isEmpty {
            let end = NameComparison.comma(in: rest) ?? rest.count
            if matches(UnsafeRawBufferPointer(rebasing: rest[..<end])) { return true }
            rest = UnsafeRawBufferPointer(rebasing: rest[min(end + 1, rest.count)...])
        }
        return false
    }

    /// Whether these are all words of the first of several names, which is the name in ASCII.
    package func matchesFirst(of names: UnsafeRawBufferPointer) -> Bool {
        matches(UnsafeRawBufferPointer(rebasing: names[..<(NameComparison.comma(in: names) ?? names.count)]))
    }

    private static func comma(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress, let found = memchr(start, Int32(UInt8(ascii: ",")), bytes.count) else {
            return nil
        }
        return UnsafeRawPointer(found) - start
    }

    /// The number of letters and numbers of a name in UTF-8, at least: those in ASCII.
    package static func leastLength(of name: UnsafeRawBufferPointer) -> Int {
        name.count { isWordByte($0) }
    }

    /// Whether a name begins with the first letter, or with something else than a single letter.
    private func hasFirstLetter(_ name: UnsafeRawBufferPointer) -> Bool {
        guard let firstLetter, let byte = name.first, byte >= 0x80 else { return true }
        var index = 0
        guard let letter = NameComparison.scalar(in: name, &index) else { return true }
        guard PlaceQuery.WordPart(letter) == .base, !NameComparison.mayJoin(letter) else { return true }
        if firstLetter.isASCII {
            // Of the other letters, only these two have a lower case within ASCII.
            return letter == "\u{130}" || letter == "\u{212A}"
        }
        // Strings are equal if their characters are written in different ways.
        if String(PlaceQuery.lowercased(letter)) == String(firstLetter) { return true }
        return NameComparison.scalar(in: name, &index).map { NameComparison.mayJoin($0) } ?? false
    }

    /// Reads a character of two to four bytes; nil if they are not UTF-8.
    private static func scalar(in bytes: UnsafeRawBufferPointer, _ index: inout Int) -> Unicode.Scalar? {
        var bytes = UnsafeRawBufferPointer(rebasing: bytes[index...]).makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        guard case .valid(let encoded) = parser.parseScalar(from: &bytes) else { return nil }
        index += encoded.count
        return Unicode.UTF8.decode(encoded)
    }

    /// Whether a character may form another letter with the one before it: a mark, or a part of a
    /// Korean syllable.
    private static func mayJoin(_ scalar: Unicode.Scalar) -> Bool {
        !PlaceQuery.WordPart.isFrequentLetter(scalar) && PlaceQuery.WordPart(scalar) == .mark
            || (0x1100...0x11FF).contains(scalar.value)
    }

    /// Whether a name has these letters up to its first character beyond ASCII, in any words.
    private func beginsAlike(_ name: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        for position in 0..<name.count {
            let byte = name[position]
            if byte >= 0x80 { return true }
            guard NameComparison.isWordByte(byte) else { continue }
            guard index < letters.count else { return false }
            if letters[index] != NameComparison.lowercased(byte) {
                let next = position + 1 < name.count ? name[position + 1] : nil
                return mayJoin(next, insteadOf: letters[index])
            }
            index += 1
        }
        return index == letters.count
    }

    /// Whether the first byte of a name allows equality. Lower case keeps a letter within ASCII or
    /// outside of it, and other characters of ASCII are skipped.
    private func mayMatch(_ byte: UInt8, before next: UInt8?) -> Bool {
        guard NameComparison.isWordByte(byte) else { return true }
        return NameComparison.lowercased(byte) == first || mayJoin(next, insteadOf: first)
    }

    /// Whether a letter in ASCII and a mark may be written instead of one character.
    private func mayJoin(_ next: UInt8?, insteadOf byte: UInt8) -> Bool { byte >= 0x80 && (next ?? 0) >= 0x80 }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased(byte))
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// The number of typing errors between two words.
package enum SpellingDistance {
    /// The number of errors that a word of this length may have: one, or two from six letters.
    package static func allowed(length: Int) -> Int { length < 6 ? 1 : 2 }

    /// Returns the least number of insertions, deletions, replacements and swaps of neighbours that
    /// make one text of the other, where no letter is changed twice (optimal string alignment).
    ///
    /// - Parameter limit: Beyond it nil is returned, mostly without a comparison.
    package static func between(
        _ first: [Unicode.Scalar], _ second: [Unicode.Scalar], atMost limit: Int
    ) -> Int? {
        guard abs(first.count - second.count) <= limit else { return nil }
        var previous = [Int](repeating: 0, count: second.count + 1)
        var current = Array(0...second.count)
        for (row, letter) in first.enumerated() {
            let before = previous
            previous = current
            current[0] = row + 1
            for (column, other) in second.enumerated() {
                let replaced = previous[column] + (letter == other ? 0 : 1)
                var least = min(replaced, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == second[column - 1], other == first[row - 1] {
                    least = min(least, before[column - 1] + 1)
                }
                current[column + 1] = least
            }
            if current.allSatisfy({ $0 > limit }) { return nil }
        }
        guard let distance = current.last, distance <= limit else { return nil }
        return distance
    }
}
