/// The text of a configuration file with the lines of its keys.
package struct ConfigurationFile {
    /// The path, for errors.
    package let path: String
    /// The parsed text.
    package let table: [String: TOMLValue]
    private let lines: [Substring]

    /// Parses the text of a file.
    ///
    /// - Throws: ``ConfigurationError`` with line and column if the text is not valid TOML.
    package init(path: String, text: String) throws(ConfigurationError) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if let index = lines.firstIndex(where: { $0.utf8.contains(0) }) {
            // The parser would stop at the NUL byte and ignore the rest.
            throw ConfigurationError(
                file: path, line: index + 1, key: nil, reason: "contains a NUL byte, which TOML does not allow")
        }
        do throws(TOMLValue.Invalid) { table = try TOMLValue.document(text) } catch {
            throw ConfigurationError(
                file: path, line: error.line, key: nil,
                reason: ConfigurationFile.replacingControlCharacters(in: error.reason))
        }
    }

    /// Returns a section, which must exist.
    package func section(_ name: String) throws(ConfigurationError) -> [String: TOMLValue] {
        guard let section = table[name]?.table else {
            throw error(in: name, key: nil, reason: "must be a section, written as [\(name)]")
        }
        return section
    }

    /// Returns an error about a key of a section, or about the section.
    ///
    /// - Parameter nth: The index among sections of the same name.
    package func error(
        in section: String, key: String?, reason: String, index nth: Int = 0
    ) -> ConfigurationError {
        ConfigurationError(
            file: path, line: line(of: section, key: key, index: nth) ?? line(of: section, key: nil, index: nth),
            key: key.map { "\(section).\($0)" } ?? section,
            reason: reason)
    }

    /// Returns the line of a key. The parser keeps no positions, so this searches for the first
    /// line below the section that starts with the key. For a key in an inline table, search for
    /// the section instead.
    package func line(of section: String, key: String?, index nth: Int) -> Int? {
        let section = section.filter { $0 != " " }
        var seen = -1
        var inside = false
        for (number, line) in lines.enumerated() {
            let text = line.filter { $0 != " " && $0 != "\t" && $0 != "\"" && $0 != "'" }
            if text.hasPrefix("[") {
                inside = text.hasPrefix("[\(section)]") || text.hasPrefix("[[\(section)]]")
                if inside { seen += 1 }
                if inside && key == nil && seen == nth { return number + 1 }
            } else if key == nil
                ? text.hasPrefix("\(section)=") : inside && seen == nth && text.hasPrefix("\(key ?? "")=")
            {
                return number + 1
            } else if let key, text.hasPrefix("\(section).\(key)=") {
                return number + 1
            }
        }
        return nil
    }

    /// Returns whether a text contains no control characters. A line break could forge log lines,
    /// and clients print names on terminals.
    package static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    /// Replaces control characters by spaces. The parser's error text quotes the input, including
    /// line breaks.
    private static func replacingControlCharacters(in text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
    }
}
