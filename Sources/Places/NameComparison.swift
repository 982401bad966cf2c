/// The words that a user typed, to compare them with many names.
///
/// Most names differ in their first letter, which is compared without finding words.
package struct NameComparison: Sendable {
    private let words: [String]
    private let first: UInt8
    /// The words in UTF-8 without spaces.
    private let letters: [UInt8]

    /// Creates a comparison with the words of a query.
    package init(_ words: [String]) {
        self.words = words
        first = words.first?.utf8.first ?? 0
        letters = words.flatMap { Array($0.utf8) }
    }

    /// Whether these are all words of a name, in any case.
    package func matches(_ name: some StringProtocol) -> Bool {
        guard let byte = name.utf8.first, mayMatch(byte) else { return false }
        return PlaceQuery.words(of: name) == words
    }

    /// Whether these are all words of one of several names, separated by commas in UTF-8.
    package func matchesAny(of names: UnsafeRawBufferPointer) -> Bool {
        var start = names.startIndex
        while start < names.endIndex {
            let end = names[start...].firstIndex(of: UInt8(ascii: ",")) ?? names.endIndex
            if start < end, mayMatch(names[start]), beginsAlike(names[start..<end]),
                PlaceQuery.words(of: String(decoding: names[start..<end], as: UTF8.self)) == words
            {
                return true
            }
            start = end + 1
        }
        return false
    }

    /// Whether these are all words of the first of several names, which is the name in ASCII.
    package func matchesFirst(of names: UnsafeRawBufferPointer) -> Bool {
        let end = names.firstIndex(of: UInt8(ascii: ",")) ?? names.endIndex
        return matchesAny(of: UnsafeRawBufferPointer(rebasing: names[..<end]))
    }

    /// Whether a name has these letters up to its first character beyond ASCII, in any words.
    private func beginsAlike(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
        var index = 0
        for byte in name {
            if byte >= 0x80 { return true }
            guard NameComparison.isWordByte(byte) else { continue }
            guard index < letters.count, letters[index] == NameComparison.lowercased(byte) else { return false }
            index += 1
        }
        return index == letters.count
    }

    /// Whether the first byte of a name allows equality. Lower case keeps a letter within ASCII or
    /// outside of it, and other characters of ASCII are skipped.
    private func mayMatch(_ byte: UInt8) -> Bool {
        guard NameComparison.isWordByte(byte) else { return true }
        return NameComparison.lowercased(byte) == first
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased(byte))
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
