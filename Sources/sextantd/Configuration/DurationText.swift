import Chronology

/// A length of time as the configuration writes it: "45 min", "2 h", "1d".
enum DurationText {
    private static let units = [("s", 1.0), ("min", 60.0), ("h", 3_600.0), ("d", 86_400.0)]

    /// Reads it; nil for what is none.
    static func read(_ text: String) -> Instant.Span? {
        let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let number = Double(digits), number.isFinite, let seconds = units.first(where: { $0.0 == unit })?.1 else { return nil }
        let length = number * seconds
        // A thousand years are no length of time that anybody means.
        return length <= 3.2e10 ? .seconds(length) : nil
    }
}
