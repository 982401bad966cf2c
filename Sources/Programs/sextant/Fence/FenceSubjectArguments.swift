import ArgumentParser
import Wire

/// The options for conditions that concern no area.
struct FenceSubjectArguments: ParsableArguments {
    @Flag(help: "No area: record an arrival and a departure at each place that the device visits.")
    var visits = false

    @Flag(help: "No area: record movements of --distance, at intervals of --interval.")
    var significantChange = false

    @Option(
        help: ArgumentHelp("Metres from the place of the last event, 100 or more. Default: 500.", valueName: "metres"))
    var distance: MetresArgument?

    @Option(help: ArgumentHelp("The minimum time between two events. Default: 5m.", valueName: "time"))
    var interval: TimeArgument?

    func validate() throws {
        guard significantChange || (distance == nil && interval == nil) else {
            throw ValidationError("--distance and --interval require --significant-change")
        }
    }

    /// Throws unless exactly one shape or subject is given, with options that apply to it.
    func check(
        _ shape: FenceShapeArguments, dwell: TimeArgument?, assuming: FenceAddCommand.AssumedState?
    ) throws {
        guard shape.count + (visits ? 1 : 0) + (significantChange ? 1 : 0) == 1 else {
            throw ValidationError(
                "give one shape: --circle, --here, --place, --polygon or --corridor; or --visits or "
                    + "--significant-change")
        }
        guard shape.count == 1 || (dwell == nil && assuming == nil) else {
            throw ValidationError("--dwell and --assuming require a shape")
        }
    }

    /// Puts the subject into a condition.
    func apply(to condition: inout ConditionMessage) {
        if visits { condition.visits = true }
        if significantChange {
            condition.significantChange = SignificantChangeMessage(
                distance: distance?.metres, interval: interval?.seconds)
        }
    }
}
