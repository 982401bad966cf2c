/// The lines of a file in the form that `swift format` gives them.
struct SwiftText {
    /// The maximum length of a line.
    private static let width = 120

    private(set) var lines: [String] = []

    mutating func line(_ text: String = "", _ level: Int = 0) {
        lines.append(text.isEmpty ? "" : String(repeating: "    ", count: level) + text)
    }

    mutating func comment(_ paragraphs: [String], _ level: Int = 0) {
        lines += Documentation.comment(paragraphs, indent: String(repeating: "    ", count: level))
    }

    /// Adds a list in brackets: in one line if it is short enough, else filled lines of their own.
    mutating func list(_ opening: String, _ elements: [String], _ closing: String, _ level: Int) {
        let whole = opening + elements.joined(separator: ", ") + closing
        guard level * 4 + whole.count > SwiftText.width else { return line(whole, level) }
        line(opening, level)
        var text = ""
        for (index, element) in elements.enumerated() {
            let part = element + (index < elements.count - 1 ? "," : closing.hasPrefix("]") ? "," : "")
            if text.isEmpty {
                text = part
            } else if (level + 1) * 4 + text.count + 1 + part.count <= SwiftText.width {
                text += " \(part)"
            } else {
                line(text, level + 1)
                text = part
            }
        }
        line(text, level + 1)
        line(closing, level)
    }
}

/// Returns a name, in backticks if it is a keyword of Swift.
func swiftName(_ name: String) -> String {
    ["default", "switch", "where", "in", "case", "internal"].contains(name) ? "`\(name)`" : name
}
