/// Makes text from devices, other programs, files and the network harmless for a terminal.
///
/// Everything that prints for people applies it at its end, so that no other code needs to: the
/// outputs of the command line, the log of the daemon and its messages at the start. The exceptions
/// are a program's own control sequences.
package enum TerminalText {
    /// Returns the text with harmful characters replaced by "?".
    package static func sanitized(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        guard text.unicodeScalars.contains(where: isHarmful) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isHarmful($0) ? "?" : $0 }))
    }

    /// Returns lines of JSON with harmful characters as `\u` escapes, which mean the same to a
    /// reader of JSON. Outside of its strings JSON has none of them, except the line end.
    package static func sanitized(json bytes: [UInt8]) -> [UInt8] {
        if bytes.allSatisfy({ $0 < 0x7F }) { return bytes }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.unicodeScalars.contains(where: { $0 != "\n" && isHarmful($0) }) else { return bytes }
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar == "\n" || !isHarmful(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                for unit in scalar.utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return Array(result.utf8)
    }

    /// Returns whether a character can move the cursor, start a control sequence, break a line,
    /// change the direction of the text around it, or be invisible.
    ///
    /// These are the general categories Cc, Cf, Zl and Zp of Unicode, except the two joiners, which
    /// the spelling of several languages requires.
    package static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        default: false
        }
    }
}
