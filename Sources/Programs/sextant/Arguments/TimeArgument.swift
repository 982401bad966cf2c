import ArgumentParser
import Chronology

/// A duration on the command line: seconds, or a number with a unit, such as 10, 0.5, 500ms, 90s,
/// 5m, 1h.
struct TimeArgument: ExpressibleByArgument, Equatable {
    let seconds: Double

    /// The longest accepted duration in seconds. It is a day longer than any option can use.
    private static let maxSeconds = 366.0 * 86_400

    init(seconds: Double) {
        self.seconds = seconds
    }

    init?(argument: String) {
        let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)]
        let unit = units.first { argument.hasSuffix($0.0) }
        guard let number = DecimalText.number(argument.dropLast(unit?.0.count ?? 0)),
            number * (unit?.1 ?? 1) <= TimeArgument.maxSeconds
        else { return nil }
        seconds = number * (unit?.1 ?? 1)
    }

    var defaultValueDescription: String {
        let minutes = seconds / 60
        return minutes >= 1 && minutes == minutes.rounded() ? "\(Int(minutes)) min" : TimeText.span(seconds)
    }

    /// The duration as a clock span.
    var span: Instant.Span { .seconds(seconds) }
}
