import Chronology
import Varlink

/// Reads a condition on attributes. Its input comes from other programs.
struct IndexQueryParser {
    private let text: [Character]
    private let now: UTCTime
    private var index = 0
    private var comparisons = 0
    private var depth = 0
    private let isTooLong: Bool

    init(_ text: String, _ now: UTCTime) {
        isTooLong = text.utf8.count > IndexQuery.maxLength
        self.text = isTooLong ? [] : Array(text)
        self.now = now
    }

    mutating func whole() throws(IndexQuery.Invalid) -> IndexQuery.Condition {
        guard !isTooLong else {
            throw IndexQuery.Invalid(description: "the condition must have at most \(IndexQuery.maxLength) bytes")
        }
        let condition = try alternatives()
        skipSpaces()
        guard index == text.count else { throw failure("&& or || is expected") }
        return condition
    }

    private mutating func alternatives() throws(IndexQuery.Invalid) -> IndexQuery.Condition {
        var parts = [try conjunction()]
        while accept("||") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction() throws(IndexQuery.Invalid) -> IndexQuery.Condition {
        var parts = [try term()]
        while accept("&&") { parts.append(try term()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func term() throws(IndexQuery.Invalid) -> IndexQuery.Condition {
        depth += 1
        defer { depth -= 1 }
        guard depth <= IndexQuery.maxDepth else { throw failure("there are too many parentheses in each other") }
        if accept("!") { return .not(try term()) }
        if accept("(") {
            let inner = try alternatives()
            try expect(")")
            return inner
        }
        return try comparison()
    }

    private mutating func comparison() throws(IndexQuery.Invalid) -> IndexQuery.Condition {
        comparisons += 1
        guard comparisons <= IndexQuery.maxComparisons else {
            throw failure("there are more than \(IndexQuery.maxComparisons) comparisons")
        }
        skipSpaces()
        let attribute = take { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "*" }
        guard !attribute.isEmpty else { throw failure("the name of an attribute is expected") }
        if attribute == "InRange", accept("(") { return try range() }
        for relation in IndexComparison.Relation.allCases where accept(relation.rawValue) {
            return .comparison(attribute: attribute, try compared(relation))
        }
        throw failure("==, !=, <, <=, > or >= is expected")
    }

    /// The rest of `InRange(attribute, least, most)`.
    private mutating func range() throws(IndexQuery.Invalid) -> IndexQuery.Condition {
        skipSpaces()
        let attribute = take { $0.isLetter || $0.isNumber || $0 == "_" }
        try expect(",")
        let least = try compared(.atLeast)
        try expect(",")
        let most = try compared(.atMost)
        try expect(")")
        return .all([.comparison(attribute: attribute, least), .comparison(attribute: attribute, most)])
    }

    private mutating func compared(_ relation: IndexComparison.Relation) throws(IndexQuery.Invalid) -> IndexComparison {
        // The older form has the letters in front of the text: ==[cd] "text".
        var letters = ""
        if accept("[") {
            letters = take { $0.isLetter }
            try expect("]")
        }
        skipSpaces()
        if let quote = peek, quote == "\"" || quote == "'" {
            let pattern = try quoted(quote)
            letters += take { $0.isLetter }
            let modifiers = Set(letters)
            guard modifiers.isSubset(of: ["c", "d", "w", "t"]) else { throw failure("c, d, w or t is expected") }
            return IndexComparison(relation, pattern, modifiers)
        }
        guard letters.isEmpty else { throw failure("a text in quotes is expected") }
        if accept("$time.now") { return IndexComparison(relation, [try moment()], []) }
        if accept("$time.iso(") {
            let text = take { $0 != ")" }
            try expect(")")
            guard let time = UTCTime(rfc3339: text) else {
                throw failure("a time such as 2027-01-01T00:00:00Z is expected")
            }
            return IndexComparison(relation, [time.description], [])
        }
        let word = take { $0.isLetter || $0.isNumber || ["-", "+", ".", "_"].contains($0) }
        if word == "true" || word == "false" {
            return IndexComparison(relation, .bool(word == "true"))
        }
        guard let number = Double(word), number.isFinite else {
            throw failure("a number or a text in quotes is expected")
        }
        return IndexComparison(relation, .double(number))
    }

    /// The rest of `$time.now` or `$time.now(seconds)`.
    private mutating func moment() throws(IndexQuery.Invalid) -> String {
        guard accept("(") else { return now.description }
        let word = take { $0.isNumber || $0 == "-" || $0 == "+" || $0 == "." }
        try expect(")")
        // A century, so that the sum stays in its range.
        guard let seconds = word.isEmpty ? 0 : Double(word), abs(seconds) <= 3.2e9 else {
            throw failure("a number of seconds is expected")
        }
        return now.advanced(by: .milliseconds(Int64(seconds * 1000))).description
    }

    /// The parts of a text between `*`, with ``PatternPart/any`` for `?`.
    private mutating func quoted(_ quote: Character) throws(IndexQuery.Invalid) -> [String] {
        var (parts, part) = ([String](), "")
        index += 1
        while let next = peek {
            index += 1
            if next == quote { return parts + [part] }
            if next == "\\", let escaped = peek {
                part.append(escaped)
                index += 1
            } else if next == "*" {
                parts.append(part)
                part = ""
            } else {
                part.append(next == "?" ? Character(PatternPart.any) : next)
            }
        }
        throw failure("the text has no \(quote) at its end")
    }

    private var peek: Character? { index < text.count ? text[index] : nil }

    private mutating func skipSpaces() { _ = take(\.isWhitespace) }

    private mutating func take(_ isPart: (Character) -> Bool) -> String {
        let part = text[index...].prefix(while: isPart)
        index += part.count
        return String(part)
    }

    private mutating func accept(_ mark: String) -> Bool {
        skipSpaces()
        guard text[index...].starts(with: mark) else { return false }
        index += mark.count
        return true
    }

    private mutating func expect(_ mark: String) throws(IndexQuery.Invalid) {
        guard accept(mark) else { throw failure("\(mark) is expected") }
    }

    private func failure(_ reason: String) -> IndexQuery.Invalid {
        IndexQuery.Invalid(description: "\(reason) at character \(index + 1) of the condition")
    }
}
