import Chronology
import Varlink

/// A condition on the attributes of items, in the language of Core Spotlight's query strings.
///
///     title == "*lat*"cd && (rating >= 3 || keywords == 'coffee') && dueDate < $time.now(86400)
///
/// Source: "Searching for Information in Your App" and "File Metadata Query Expression Syntax" of
/// Apple. Text is compared with `*` for any characters; after it, `c` ignores case, `d` marks on
/// letters, and `w` finds the pattern at the beginning of each word.
package struct IndexQuery: Sendable, Equatable {
    indirect enum Condition: Sendable, Equatable {
        case all([Condition])
        case any([Condition])
        case not(Condition)
        case comparison(attribute: String, IndexComparison)
    }

    let condition: Condition

    /// The length of a text in bytes of UTF-8, the number of comparisons, and of parentheses and
    /// negations in each other, at most.
    package static let maxLength = 1024
    static let maxComparisons = 32
    static let maxDepth = 16

    /// Why a text is no condition.
    package struct Invalid: Error, Equatable, CustomStringConvertible {
        /// What is wrong where.
        package let description: String
    }

    /// Reads a condition.
    ///
    /// - Parameter now: What `$time.now` means.
    /// - Throws: ``Invalid``.
    package init(_ text: String, at now: UTCTime) throws(Invalid) {
        var parser = IndexQueryParser(text, now)
        condition = try parser.whole()
    }

    /// Whether an item keeps the condition.
    package func matches(_ item: IndexedItem) -> Bool { IndexQuery.matches(condition, item) }

    private static func matches(_ condition: Condition, _ item: IndexedItem) -> Bool {
        switch condition {
        case .all(let parts): parts.allSatisfy { matches($0, item) }
        case .any(let parts): parts.contains { matches($0, item) }
        case .not(let part): !matches(part, item)
        case .comparison(let attribute, let comparison): comparison.matches(values(of: attribute, item))
        }
    }

    private static func values(of attribute: String, _ item: IndexedItem) -> [JSONValue] {
        switch attribute {
        case "*", "**": return (IndexedItem.titles + IndexedItem.texts).flatMap { values(of: $0, item) }
        case "domainIdentifier": return item.domain.isEmpty ? [] : [.string(item.domain)]
        case "uniqueIdentifier": return [.string(item.identifier)]
        case "expirationDate": return item.expiry.map { [.string($0.description)] } ?? []
        default:
            guard let value = item.attributes[attribute] else { return [] }
            return value.array ?? [value]
        }
    }

    /// Words that every item which keeps the condition has in its title or texts, the last one as a
    /// beginning. The index finds such items without reading the others.
    package var words: [String] {
        let parts = if case .all(let parts) = condition { parts } else { [condition] }
        let known = Set(IndexedItem.titles + IndexedItem.texts + ["*", "**"])
        for case .comparison(let attribute, let comparison) in parts where known.contains(attribute) {
            if let words = comparison.words, !words.isEmpty { return Array(words.prefix(PlaceQuery.maxWords)) }
        }
        return []
    }
}

/// The comparison of an attribute with a value.
struct IndexComparison: Sendable, Equatable {
    enum Relation: String, Sendable, Equatable, CaseIterable {
        // The longer ones come first, so that they are recognised before their beginnings.
        case equal = "=="
        case different = "!="
        case atMost = "<="
        case atLeast = ">="
        case assigned = "="
        case less = "<"
        case greater = ">"
    }

    var relation: Relation
    var value: JSONValue
    /// The letters after a text.
    var modifiers: Set<Character> = []

    /// Whether one of the values of an attribute agrees. An attribute without a value differs from
    /// every text.
    func matches(_ values: [JSONValue]) -> Bool {
        switch relation {
        case .equal, .assigned: values.contains(where: isEqual)
        case .different: !values.contains(where: isEqual)
        case .less:
            values.contains {
                compare($0) {
                    $0 < $1
                } or: {
                    $0 < $1
                }
            }
        case .greater:
            values.contains {
                compare($0) {
                    $0 > $1
                } or: {
                    $0 > $1
                }
            }
        case .atMost:
            values.contains {
                compare($0) {
                    $0 <= $1
                } or: {
                    $0 <= $1
                }
            }
        case .atLeast:
            values.contains {
                compare($0) {
                    $0 >= $1
                } or: {
                    $0 >= $1
                }
            }
        }
    }

    private func compare(
        _ other: JSONValue, _ numbers: (Double, Double) -> Bool, or texts: (String, String) -> Bool
    ) -> Bool {
        if let first = IndexComparison.number(other), let second = IndexComparison.number(value) {
            return numbers(first, second)
        }
        guard let first = other.string, let second = value.string else { return false }
        return texts(first, second)
    }

    private static func number(_ value: JSONValue) -> Double? { value.double ?? value.bool.map { $0 ? 1 : 0 } }

    private func isEqual(_ other: JSONValue) -> Bool {
        guard let pattern = value.string else { return IndexComparison.number(other) == IndexComparison.number(value) }
        guard let text = other.string else { return false }
        let wanted = folded(pattern)
        guard modifiers.contains("w") else { return IndexComparison.matches(folded(text), wanted) }
        let words = PlaceQuery.words(of: wanted)
        let own = PlaceQuery.words(of: folded(text))
        return !words.isEmpty && words.allSatisfy { word in own.contains { $0.hasPrefix(word) } }
    }

    private func folded(_ text: String) -> String {
        let text = modifiers.contains("c") ? text.lowercased() : text
        guard modifiers.contains("d"), !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.compactMap(IndexComparison.unmarked)))
    }

    /// A Latin letter without its mark, by its name in Unicode; nil for a mark alone.
    private static func unmarked(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        guard scalar.value >= 0x80 else { return scalar }
        guard scalar.properties.generalCategory != .nonspacingMark else { return nil }
        let words = scalar.properties.name?.split(separator: " ") ?? []
        guard words.count > 5, words[0] == "LATIN", words[2] == "LETTER", words[4] == "WITH",
            let letter = words[3].unicodeScalars.first, words[3].utf8.count == 1
        else { return scalar }
        return words[1] == "SMALL" ? letter.properties.lowercaseMapping.unicodeScalars.first : letter
    }

    /// Whether a text agrees with a pattern, in which `*` is any number of characters.
    private static func matches(_ text: String, _ pattern: String) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false).map { Array($0.utf8) }
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return text == pattern }
        var rest = Array(text.utf8)[...]
        guard rest.starts(with: first) else { return false }
        rest = rest.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() {
            guard let end = end(of: part, in: rest) else { return false }
            rest = rest[end...]
        }
        return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }

    /// The index after the first occurrence of a part; nil if there is none. The time grows with
    /// the sum of the lengths (Knuth, Morris and Pratt, 1977).
    private static func end(of part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard !part.isEmpty else { return bytes.startIndex }
        // For each beginning of the part, the length of its longest end that is a beginning too.
        var borders = [0]
        var length = 0
        for byte in part.dropFirst() {
            while length > 0, part[length] != byte { length = borders[length - 1] }
            if part[length] == byte { length += 1 }
            borders.append(length)
        }
        length = 0
        for (index, byte) in zip(bytes.indices, bytes) {
            while length > 0, part[length] != byte { length = borders[length - 1] }
            if part[length] == byte { length += 1 }
            if length == part.count { return index + 1 }
        }
        return nil
    }

    /// The words that a text has if it agrees, the last one as a beginning; nil if that is not
    /// certain.
    var words: [String]? {
        guard relation == .equal || relation == .assigned, let pattern = value.string else { return nil }
        let inner = pattern.drop { $0 == "*" }
        // A pattern that begins within a word is not in the index.
        guard inner.count == pattern.count || modifiers.contains("w") else { return nil }
        let beginning = modifiers.contains("w") ? inner[...] : inner.prefix { $0 != "*" }
        return PlaceQuery.words(of: beginning)
    }
}
