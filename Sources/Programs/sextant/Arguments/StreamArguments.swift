import ArgumentParser
import Chronology
import SextantAPI

extension DesiredAccuracy: ExpressibleByArgument {}

/// The options of a stream besides its configuration. All commands that subscribe share them.
struct StreamArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Required accuracy; lower accuracy means fewer updates.", valueName: "name"))
    var accuracy: DesiredAccuracy?

    @Option(help: ArgumentHelp("Minimum distance in metres between two updates.", valueName: "metres"))
    var distance: MetresArgument?

    @Option(
        help: ArgumentHelp(
            "Send only the positions that are needed to draw the track with this maximum error in metres.",
            valueName: "metres"))
    var tolerance: MetresArgument?

    @Option(help: ArgumentHelp("Minimum time between two updates: 10, 90s, 5m.", valueName: "time"))
    var interval: TimeArgument?

    @Option(help: ArgumentHelp("Maximum time that updates may be held back to be sent together.", valueName: "time"))
    var delay: TimeArgument?

    @Flag(help: "Send an update only after a significant change: 500 m away and five minutes later.")
    var significant = false

    @Flag(help: "Receive updates that others requested; never wake a receiver.")
    var passive = false

    @Flag(help: "Continue while the device is stationary; keeps the receiver on.")
    var noPause = false

    func validate() throws {
        let checks = [
            (distance?.metres, SubscribeParameters.distanceFilterRange, "--distance must be 0 to 20100000 metres"),
            (tolerance?.metres, SubscribeParameters.toleranceRange, "--tolerance must be 0 to 100000 metres"),
            (interval?.seconds, SubscribeParameters.minimumIntervalRange, "--interval must be a day at most"),
            (delay?.seconds, SubscribeParameters.maximumDelayRange, "--delay must be an hour at most"),
        ]
        for (value, range, message) in checks where value.map(range.contains) == false {
            throw ValidationError(message)
        }
    }

    /// Whether an option besides ``passive`` is set: it applies to locations only.
    var selectsLocations: Bool {
        parameters(.default) != SubscribeParameters(configuration: .default, passive: passive ? true : nil)
    }

    func parameters(_ configuration: Configuration, receiver: String? = nil) -> SubscribeParameters {
        SubscribeParameters(
            configuration: configuration, receiver: receiver, desiredAccuracy: accuracy,
            distanceFilter: distance?.metres,
            minimumInterval: interval?.seconds, maximumDelay: delay?.seconds,
            significantChange: significant ? true : nil,
            passive: passive ? true : nil, pausesWhenStationary: noPause ? false : nil, tolerance: tolerance?.metres)
    }
}

extension Configuration: ExpressibleByArgument {}

/// A length on the command line: metres, or a number with a unit, such as 150, 1e3, 150m, 0.2km.
/// It is finite and not negative.
struct MetresArgument: ExpressibleByArgument, Equatable {
    let metres: Double

    init?(argument: String) {
        let units = [("km", 1000.0), ("m", 1.0)]
        let unit = units.first { argument.hasSuffix($0.0) }
        let text = argument.dropLast(unit?.0.count ?? 0)
        // Not "inf", "nan" or hexadecimal.
        guard text.utf8.allSatisfy({ (48...57).contains($0) || ".+-eE".utf8.contains($0) }), text.first != "-",
            let number = Double(text), (number * (unit?.1 ?? 1)).isFinite
        else { return nil }
        metres = number * (unit?.1 ?? 1)
    }
}

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
