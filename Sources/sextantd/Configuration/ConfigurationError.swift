/// An error in a configuration file: its location, the key, the reason and the valid values.
struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    var file: String
    /// The line number; `nil` if the file as a whole cannot be read.
    var line: Int?
    /// The dotted key (`service.socket`); `nil` if the text is not valid TOML.
    var key: String?
    var reason: String

    var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        return key.map { "\(place): \($0): \(reason)" } ?? "\(place): \(reason)"
    }
}
