/// The comment of an interface member: its text, and the descriptions of names in it.
///
///     # Answers a request.
///     #   temporary   true: the answer ends with the last session of the program
struct Documentation {
    /// The paragraphs of the text.
    private(set) var paragraphs: [String] = []
    /// The descriptions of each name, in their order: a name may be a parameter and in the reply.
    private(set) var items: [String: [String]] = [:]

    init(_ comment: String) {
        var current: [String] = []
        var lines: [String] = []
        func endItem() {
            for name in current { items[name, default: []].append(lines.joined(separator: " ")) }
            (current, lines) = ([], [])
        }
        var paragraph: [String] = []
        func endParagraph() {
            let text = paragraph.joined(separator: " ")
            if !text.isEmpty, !["Parameters:", "Reply:"].contains(text) { paragraphs.append(text) }
            paragraph = []
        }
        for line in comment.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let text = String(line.drop { $0 == " " })
            if line.hasPrefix("  ") {
                endParagraph()
                if let item = Documentation.item(text), !line.hasPrefix("     ") {
                    endItem()
                    (current, lines) = (item.names, item.text.isEmpty ? [] : [item.text])
                } else {
                    lines.append(text)
                }
            } else {
                endItem()
                if text.isEmpty || ["Parameters:", "Reply:"].contains(text) { endParagraph() }
                if !["Parameters:", "Reply:"].contains(text), !text.isEmpty { paragraph.append(text) }
            }
        }
        endItem()
        endParagraph()
    }

    mutating func replace(with other: Documentation) {
        if !other.paragraphs.isEmpty { paragraphs = other.paragraphs }
        items.merge(other.items) { $1 }
    }

    /// Splits a line into names and the beginning of their description: `a, b   text`.
    private static func item(_ line: String) -> (names: [String], text: String)? {
        var end = line.endIndex
        var index = line.startIndex
        while index < line.endIndex, end == line.endIndex {
            let next = line.index(after: index)
            if line[index] == " ", next < line.endIndex, line[next] == " " { end = index }
            index = next
        }
        let names = line[..<end].split(separator: ",").map { $0.filter { $0 != " " } }
        let isName = names.allSatisfy { name in name.allSatisfy { $0.isLetter || $0.isNumber } }
        let words = line[..<end].split(separator: " ").count
        guard isName, !names.isEmpty, words == names.count else { return nil }
        return (names, String(line[end...].drop { $0 == " " }))
    }

    static func sentence(_ text: String) -> String {
        guard let first = text.first else { return text }
        // A name that the text begins with keeps its letter.
        let word = text.prefix { $0 != " " }
        let isPlain = word.allSatisfy { $0.isLowercase || !$0.isLetter }
        let start = isPlain ? first.uppercased() : String(first)
        return start + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
    }

    /// Returns paragraphs as a doc comment of lines with at most 100 columns.
    static func comment(_ paragraphs: [String], indent: String = "") -> [String] {
        var lines: [String] = []
        for paragraph in paragraphs where !paragraph.isEmpty {
            if !lines.isEmpty { lines.append("\(indent)///") }
            var line = "\(indent)///"
            for word in paragraph.split(separator: " ") {
                if line.count + 1 + word.count > 100, !line.hasSuffix("///") {
                    lines.append(line)
                    line = "\(indent)///"
                }
                line += " \(word)"
            }
            lines.append(line)
        }
        return lines
    }
}
