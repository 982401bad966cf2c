import Chronology

/// The text form of a duration in the configuration: "45 min", "2 h", "1d".
enum DurationText {
    private static let units = [("s", 1.0), ("min", 60.0), ("h", 3_600.0), ("d", 86_400.0)]

    /// Parses a duration. Returns `nil` if the text is invalid.
    static func parse(_ text: String) -> Instant.Span? {
        let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let number = Double(digits), number.isFinite, let seconds = units.first(where: { $0.0 == unit })?.1 else {
            return nil
        }
        let length = number * seconds
        // The limit is about a thousand years.
        return length <= 3.2e10 ? .seconds(length) : nil
    }
}
