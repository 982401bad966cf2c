/// What is wrong with a configuration file: where, which key, why, and what it may be.
struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    var file: String
    /// Nil when the file as a whole cannot be read.
    var line: Int?
    /// Dotted: `service.socket`; nil when the text is no TOML.
    var key: String?
    var reason: String

    var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        return key.map { "\(place): \($0): \(reason)" } ?? "\(place): \(reason)"
    }
}
