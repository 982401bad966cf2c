import ArgumentParser

/// The options for the units of displayed positions and speeds.
struct UnitOptions: ParsableArguments {
    /// Units that belong together.
    enum System: String, ExpressibleByArgument, CaseIterable {
        case metric, nautical
    }

    @Option(help: "Unit of speeds (default: kmh; kn with --units nautical).")
    var speed: SpeedUnit?

    @Option(help: "metric, or nautical: knots, and degrees with decimal minutes.")
    var units = System.metric

    /// The selected units.
    var display: DisplayUnits {
        DisplayUnits(speed: speed ?? (units == .nautical ? .kn : .kmh), hasMinutes: units == .nautical)
    }
}
