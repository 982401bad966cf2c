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
