/// An error in a configuration file: its location, the key, the reason and the valid values.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The path of the file.
    package var file: String
    /// The line number; `nil` if the file as a whole cannot be read.
    package var line: Int?
    /// The dotted key (`service.socket`); `nil` if the text is not valid TOML.
    package var key: String?
    /// What is wrong, and the valid values.
    package var reason: String

    /// Creates an error.
    package init(file: String, line: Int?, key: String?, reason: String) {
        self.file = file
        self.line = line
        self.key = key
        self.reason = reason
    }

    /// The location, the key and the reason, as one line.
    package var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        return key.map { "\(place): \($0): \(reason)" } ?? "\(place): \(reason)"
    }
}
