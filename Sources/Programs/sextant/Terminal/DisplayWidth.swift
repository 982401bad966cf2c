import SystemCalls

/// The width of text in terminal columns.
enum DisplayWidth {
    /// Returns the columns of a character: 0 for a lone combining mark, 2 for East Asian wide
    /// characters and emoji, else 1. The ranges are those of W and F in EastAsianWidth.txt (Unicode
    /// TR 11), merged into blocks.
    static func width(of character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.properties.generalCategory == .nonspacingMark || first.properties.generalCategory == .enclosingMark {
            return 0
        }
        return wide.contains { $0.contains(first.value) } ? 2 : 1
    }

    /// Returns the columns of a text without control characters.
    static func width(of text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + width(of: $1) }
    }

    /// Returns the text cut to a number of columns, with an ellipsis if something was cut.
    static func cut(_ text: String, to columns: Int) -> String {
        guard width(of: text) > columns else { return text }
        guard columns > 0 else { return "" }
        var kept = ""
        var used = 0
        for character in text {
            let next = width(of: character)
            guard used + next < columns else { break }
            kept.append(character)
            used += next
        }
        return kept + "…"
    }

    /// Returns the text cut or padded with blanks to a number of columns.
    static func fit(_ text: String, to columns: Int, alignRight: Bool = false) -> String {
        let cut = cut(text, to: columns)
        let blanks = String(repeating: " ", count: max(0, columns - width(of: cut)))
        return alignRight ? blanks + cut : cut + blanks
    }

    /// Returns lines of at most a number of columns, broken at blanks.
    static func wrap(_ text: String, to columns: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, width(of: line) + 1 + width(of: word) > columns {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return line.isEmpty ? lines : lines + [line]
    }

    /// Returns a line as lines of at most a number of columns. Those after the first are indented
    /// by two more, and a longer word is cut.
    fileprivate static func lines(_ text: String, columns: Int) -> [String] {
        let text = TerminalText.sanitized(text)
        guard width(of: text) > columns else { return [text] }
        let indent = String(text.prefix { $0 == " " })
        return wrap(text, to: columns - indent.count - 2).enumerated().map { index, line in
            cut(indent + (index > 0 ? "  " : "") + line, to: columns)
        }
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
        0xA000...0xA4CF,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
        0x1F680...0x1F6FF,
        0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}

extension [String] {
    /// Returns lines that are broken at blanks to fit a terminal; unchanged without a width.
    func wrapped(to columns: Int?) -> [String] {
        guard let columns else { return self }
        return flatMap { DisplayWidth.lines($0, columns: columns) }
    }
}

/// The ASCII replacements of drawing characters for terminals without Unicode.
enum ASCIIFallback {
    /// Returns an ASCII character of the same width.
    static func character(for character: Character) -> Character {
        character.isASCII ? character : symbol(for: character) ?? "?"
    }

    /// Returns a text with the symbols of this program in ASCII if the locale has no others. The
    /// letters of names stay as they are.
    static func text(_ text: String) -> String {
        TerminalCapabilities.ofStandardOutput.hasUnicode ? text : String(text.map { symbol(for: $0) ?? $0 })
    }

    private static func symbol(for character: Character) -> Character? {
        if let replacement = replacements[character] { return replacement }
        guard let scalar = character.unicodeScalars.first?.value else { return nil }
        switch scalar {
        case 0x2800: return " "
        case 0x2801...0x28FF: return "."
        case 0x2500...0x257F: return "-"
        case 0x2580...0x259F: return "#"
        default: return nil
        }
    }

    private static let replacements: [Character: Character] = [
        "│": "|", "·": ".", "°": "d", "′": "'", "″": "\"", "±": "~", "…": ".", "—": "-", "–": "-", "●": "*", "○": "o",
        "▏": "|", "▕": "|",
        "▁": "_", "▂": "_", "▃": "-", "▄": "=", "▅": "=", "░": ".", "✓": "+", "→": ">", "◆": "*", "×": "x",
    ]
}
