/// A parsed configuration file.
package struct ConfigurationFile {
    package let path: String
    /// The parsed text.
    package let table: [String: TOMLValue]

    /// The maximum size of a line in bytes. Each level of a key with dots takes memory of the stack
    /// while it is read and freed; a line of 200 kB exhausts 8 MiB.
    private static let maxLineSize = 4096

    /// Parses the text of a file.
    ///
    /// - Throws: ``ConfigurationError`` with line and column if the text is not valid TOML.
    package init(path: String, text: String) throws(ConfigurationError) {
        self.path = path
        for (index, line) in text.utf8.split(separator: 10, omittingEmptySubsequences: false).enumerated()
        where line.count > ConfigurationFile.maxLineSize {
            throw ConfigurationError(
                file: path, line: index + 1, key: nil,
                reason: "the line is longer than the limit of \(ConfigurationFile.maxLineSize) bytes")
        }
        do throws(TOMLValue.Invalid) { table = try TOMLValue.document(text) } catch {
            throw ConfigurationError(
                file: path, line: error.line, key: nil,
                reason: ConfigurationFile.replacingControlCharacters(in: error.reason))
        }
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

    /// Returns the line of the value of a key, or that of a section.
    ///
    /// - Parameters:
    ///   - section: The name, such as `gpsd`, or `fleet.NAME` for a section below another.
    ///   - nth: The index among sections of the same name.
    package func line(of section: String, key: String?, index nth: Int) -> Int? {
        let names = section.split(separator: ".", maxSplits: 1).map(String.init)
        var value = names.first.flatMap { table[$0] }
        for name in names.dropFirst() { value = value?.table?[name] }
        if let entries = value?.array, entries.indices.contains(nth) { value = entries[nth] }
        return key == nil ? value?.line : key.flatMap { value?.table?[$0]?.line }
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

/// An error in a configuration file: its location, the key, the reason and the valid values.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    package var file: String
    /// The line number; `nil` if the file as a whole cannot be read.
    package var line: Int?
    /// The dotted key (`service.socket`); `nil` if the text is not valid TOML.
    package var key: String?
    /// What is wrong, and the valid values.
    package var reason: String

    /// The location, the key and the reason, as one line.
    package var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        return key.map { "\(place): \($0): \(reason)" } ?? "\(place): \(reason)"
    }
}
