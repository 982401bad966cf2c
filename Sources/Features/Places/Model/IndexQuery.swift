import Chronology
import Varlink

/// A condition on the attributes of items, in the language of Core Spotlight's query strings.
///
///     title == "*lat*"cd && (rating >= 3 || keywords == 'coffee') && dueDate < $time.now(86400)
///
/// Source: "Searching for Information in Your App" and "File Metadata Query Expression Syntax" of
/// Apple. Text is compared with `*` for any characters and `?` for one; after it, `c` ignores case,
/// `d` marks on letters, and `w` finds the words of the pattern at the beginning of words. `\*` is
/// the character itself.
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

    /// How often it reads the attributes of an item, at most.
    var cost: Int { IndexQuery.cost(of: condition) }

    private static func cost(of condition: Condition) -> Int {
        switch condition {
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 + cost(of: $1) }
        case .not(let part): cost(of: part)
        case .comparison(_, let comparison): comparison.cost
        }
    }

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

    let relation: Relation
    private let value: JSONValue
    /// The parts of a text between its `*`; empty for other values.
    private let pattern: [String]
    private let modifiers: Set<Character>
    /// ``pattern`` without the differences that the modifiers ignore.
    private let folded: [String]
    private let parts: [PatternPart]
    /// Its words, with the modifier `w`.
    private let wanted: [String]

    /// A comparison with a number, a truth value or a time.
    init(_ relation: Relation, _ value: JSONValue) {
        (self.relation, self.value) = (relation, value)
        (pattern, modifiers) = ([], [])
        (folded, parts) = ([], [])
        wanted = []
    }

    /// A comparison with a text.
    ///
    /// - Parameters:
    ///   - pattern: Its parts between `*`; one at least.
    ///   - modifiers: The letters after it.
    init(_ relation: Relation, _ pattern: [String], _ modifiers: Set<Character>) {
        self.relation = relation
        (self.pattern, self.modifiers) = (pattern, modifiers)
        let text = pattern.joined(separator: "*").unicodeScalars.map { $0 == PatternPart.any ? "?" : $0 }
        value = .string(String(String.UnicodeScalarView(text)))
        folded = pattern.map { IndexComparison.folded($0, modifiers) }
        parts = folded.map { PatternPart($0) }
        wanted = modifiers.contains("w") ? PlaceQuery.words(of: folded.joined(separator: "*")) : []
    }

    /// How often it reads a value, at most.
    var cost: Int { max(1, wanted.count) }

    /// Whether one of the values of an attribute agrees. An attribute without a value differs from
    /// every text.
    func matches(_ values: [JSONValue]) -> Bool {
        switch relation {
        case .equal, .assigned: values.contains(where: isEqual)
        case .different: !values.contains(where: isEqual)
        case .less: values.contains { order(of: $0).map { $0 < 0 } ?? false }
        case .greater: values.contains { order(of: $0).map { $0 > 0 } ?? false }
        case .atMost: values.contains { order(of: $0).map { $0 <= 0 } ?? false }
        case .atLeast: values.contains { order(of: $0).map { $0 >= 0 } ?? false }
        }
    }

    /// Negative if another value is less than this one; nil if they cannot be compared.
    private func order(of other: JSONValue) -> Int? {
        func order<Value: Comparable>(_ first: Value, _ second: Value) -> Int {
            first < second ? -1 : first > second ? 1 : 0
        }
        if let first = IndexComparison.number(other), let second = IndexComparison.number(value) {
            return order(first, second)
        }
        guard let first = other.string, let second = value.string else { return nil }
        return order(first, second)
    }

    private static func number(_ value: JSONValue) -> Double? { value.double ?? value.bool.map { $0 ? 1 : 0 } }

    private func isEqual(_ other: JSONValue) -> Bool {
        guard let text = other.string else { return IndexComparison.number(other) == IndexComparison.number(value) }
        guard value.string != nil else { return false }
        let own = IndexComparison.folded(text, modifiers)
        guard modifiers.contains("w") else { return matches(own) }
        let words = PlaceQuery.words(of: own)
        return !wanted.isEmpty && wanted.allSatisfy { word in words.contains { $0.hasPrefix(word) } }
    }

    private static func folded(_ text: String, _ modifiers: Set<Character>) -> String {
        let text = modifiers.contains("c") ? text.lowercased() : text
        guard modifiers.contains("d"), !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.compactMap(IndexComparison.unmarked)))
    }

    /// A Latin letter without its mark; nil for a mark alone.
    private static func unmarked(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0xC0...0x24F: latin[Int(scalar.value - 0xC0)]
        case 0x1E00...0x1EFF: latinAdditional[Int(scalar.value - 0x1E00)]
        case ..<0x300: scalar
        default: scalar.properties.generalCategory == .nonspacingMark ? nil : scalar
        }
    }

    /// The letters of two blocks of Unicode without their marks, by their names.
    private static let latin = (0xC0...0x24F).map(letter)
    private static let latinAdditional = (0x1E00...0x1EFF).map(letter)

    private static func letter(_ value: UInt32) -> Unicode.Scalar {
        let scalar = Unicode.Scalar(value) ?? " "
        let words = scalar.properties.name?.split(separator: " ") ?? []
        guard words.count > 5, words[0] == "LATIN", words[2] == "LETTER", words[4] == "WITH",
            let letter = words[3].unicodeScalars.first, words[3].utf8.count == 1
        else { return scalar }
        return words[1] == "SMALL" ? letter.properties.lowercaseMapping.unicodeScalars.first ?? scalar : letter
    }

    /// Whether a text agrees with the pattern.
    private func matches(_ text: String) -> Bool {
        guard let first = parts.first, let last = parts.last else { return false }
        if parts.count == 1, !first.hasAny { return text == folded.first }
        var rest = Array(text.unicodeScalars)[...]
        guard parts.count > 1 else { return rest.count == first.scalars.count && first.begins(rest) }
        guard first.begins(rest) else { return false }
        rest = rest.dropFirst(first.scalars.count)
        for part in parts.dropFirst().dropLast() {
            guard let end = part.end(in: rest) else { return false }
            rest = rest[end...]
        }
        return last.begins(rest.suffix(last.scalars.count))
    }

    /// The words that a text has if it agrees, the last one as a beginning; nil if that is not
    /// certain.
    var words: [String]? {
        guard relation == .equal || relation == .assigned, let first = pattern.first else { return nil }
        if modifiers.contains("w") { return PlaceQuery.words(of: pattern.joined(separator: "*")) }
        // A pattern that begins within a word is not in the index.
        let known = String(first.unicodeScalars.prefix { $0 != PatternPart.any })
        return known.isEmpty ? nil : PlaceQuery.words(of: known)
    }
}
