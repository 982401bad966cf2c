/// The ASCII replacements of drawing characters for terminals without Unicode.
enum ASCIIFallback {
    /// Returns an ASCII character of the same width.
    static func character(for character: Character) -> Character {
        if character.isASCII { return character }
        if let replacement = replacements[character] { return replacement }
        guard let scalar = character.unicodeScalars.first?.value else { return "?" }
        switch scalar {
        case 0x2800: return " "
        case 0x2801...0x28FF: return "."
        case 0x2500...0x257F: return "-"
        case 0x2580...0x259F: return "#"
        default: return "?"
        }
    }

    private static let replacements: [Character: Character] = [
        "│": "|", "·": ".", "°": "d", "′": "'", "″": "\"", "±": "~", "…": ".", "—": "-", "–": "-", "●": "*", "○": "o",
        "▏": "|", "▕": "|",
        "▁": "_", "▂": "_", "▃": "-", "▄": "=", "▅": "=", "░": ".", "✓": "+", "→": ">", "◆": "*", "×": "x",
    ]
}
