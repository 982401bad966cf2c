import ArgumentParser
import Chronology

/// A length of time on the command line: seconds, or a number with a unit: 10, 0.5, 500ms, 90s, 5m, 1h.
struct TimeArgument: ExpressibleByArgument, Equatable {
    let seconds: Double

    /// A day more than any of the options makes sense for.
    private static let longest = 366.0 * 86_400

    init(seconds: Double) {
        self.seconds = seconds
    }

    init?(argument: String) {
        let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)]
        let unit = units.first { argument.hasSuffix($0.0) }
        let digits = argument.dropLast(unit?.0.count ?? 0)
        // Double's own parser also takes "inf", "nan" and hexadecimal.
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ".") }), let number = Double(digits),
            number * (unit?.1 ?? 1) <= TimeArgument.longest
        else { return nil }
        seconds = number * (unit?.1 ?? 1)
    }

    var defaultValueDescription: String { TimeText.span(seconds) }

    /// As the clock counts it.
    var span: Instant.Span { .seconds(seconds) }
}
