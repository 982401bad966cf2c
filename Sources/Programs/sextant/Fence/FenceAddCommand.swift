import ArgumentParser
import Chronology
import SextantAPI
import SystemCalls
import Varlink

/// `sextant fence add`: adds or replaces a fence.
struct FenceAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a fence, or replace the fence of that name.",
        discussion: """
            Angles are in degrees (WGS-84). Lengths are in metres, or have a unit: 150m, 0.2km.
            """)

    @Argument(help: "Name of the fence.")
    var name: String

    @OptionGroup var shape: FenceShapeArguments

    @OptionGroup var subject: FenceSubjectArguments

    @Option(
        help: ArgumentHelp(
            "Also record an event after the device was inside for this time: 90s, 5m, 1h.", valueName: "time"))
    var dwell: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "Monitor the fence until this date in local time, or this time: 2027-01-31, 2027-01-31T12:00:00Z.",
            valueName: "moment"))
    var expires: MomentArgument?

    @Option(
        help: ArgumentHelp(
            "Assumed initial state (inside, outside); no event if the first determination matches.", valueName: "state")
    )
    var assuming: AssumedState?

    @Option(
        help: ArgumentHelp(
            "Store this with the fence and include it in its events. May be repeated.", valueName: "key=value"))
    var metadata: [MetadataArgument] = []

    @OptionGroup var options: FenceOptions

    func validate() throws {
        try subject.check(shape, dwell: dwell, assuming: assuming)
        if let expires, expires.time <= HostClock.utc {
            let (end, now) = (TimeText.moment(expires.text), TimeText.moment(HostClock.utc.description))
            throw ValidationError("--expires \(end) is in the past; it is \(now) now")
        }
        guard options.monitor == nil else { return }
        do throws(MonitorError) {
            try MonitorName.check(name)
        } catch {
            guard case .invalidName(_, let reason) = error else { throw error }
            throw ValidationError(
                "the fence name \"\(name)\" \(reason), as its monitor gets the same name; select another monitor with "
                    + "--monitor")
        }
    }

    func run() throws {
        let client = try FenceClient(options)
        let monitor = options.monitor ?? name
        var condition = Condition(identifier: name)
        subject.apply(to: &condition)
        var position: Location?
        try shape.apply(to: &condition) { () throws(CommandError) in
            try options.daemon.declareSession()
            let location = try options.daemon.call(
                LocationMethods.getLocation, with: GetLocationParameters(), timeout: .seconds(20)
            ).location
            guard !location.isReduced else { throw reducedLocation(location, of: client.owner) }
            position = location
            return location
        }
        condition.dwell = dwell?.seconds
        condition.expiry = expires?.text
        condition.assuming = assuming?.state
        if !metadata.isEmpty {
            condition.metadata = Dictionary(metadata.map { ($0.key, .string($0.value)) }) { _, last in last }
        }
        let parameters = AddParameters(name: monitor, conditions: [condition], program: client.owner)
        let reply = try client.call(MonitorMethods.add, with: parameters)
        if options.output.isJSON {
            try JSONLineWriter.print([reply])
        } else {
            let verb = reply.replaced > 0 ? "replaced" : "added"
            try StandardOutput.write(lines: ["\(verb) \(name) in the monitor \(monitor)"])
            FenceFormatter.warn(unmonitored: reply.unmonitored)
        }
        for warning in warnings(in: monitor, accuracy: position?.horizontalAccuracy, from: client) {
            StandardError.line("sextant: \(warning)")
        }
    }

    /// Returns the error of a fence whose centre would be kilometres away from the device, also
    /// when its program gets the full location later.
    private func reducedLocation(_ location: Location, of owner: String) -> CommandError {
        CommandError(
            "cannot add \(name) around a reduced location, ±\(LengthText.metres(location.horizontalAccuracy)): fences "
                + "need the full location; find the cause with: sextant doctor program \(ShellText.quoted(owner))",
            exitStatus: .notPermitted)
    }

    /// Returns why the new fence may not do what its user expects.
    ///
    /// - Parameter accuracy: The accuracy of the position that is its centre; nil for another
    ///   centre.
    private func warnings(in monitor: String, accuracy: Double?, from client: FenceClient) -> [String] {
        var warnings: [String] = []
        let get = GetRecordParameters(name: monitor, identifier: name, program: client.owner)
        guard let record = try? client.call(MonitorMethods.getRecord, with: get).record else { return warnings }
        if !record.permission.isEmpty {
            warnings.append("\(name) is not monitored: \(record.permission.reason(for: client.owner))")
        } else if let problem = record.conditionUnsupported {
            warnings.append("\(name) is not monitored: \(problem)")
        } else if record.radiusTooSmall {
            let size = FenceFormatter.tooSmall(forAccuracy: accuracy)
            warnings.append("\(name) is \(size); \(FenceFormatter.sizeRemedy)")
        }
        return warnings
    }

    /// The assumed initial state of a fence.
    enum AssumedState: String, ExpressibleByArgument, CaseIterable {
        case inside, outside

        var state: ConditionState { self == .inside ? .satisfied : .unsatisfied }
    }

    /// A key and its value.
    struct MetadataArgument: ExpressibleByArgument {
        let key: String
        let value: String

        init?(argument: String) {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else { return nil }
            (key, value) = (String(parts[0]), String(parts[1]))
        }
    }
}

/// The options for conditions that concern no area.
struct FenceSubjectArguments: ParsableArguments {
    @Flag(help: "No area: record an arrival and a departure at each place that the device visits.")
    var visits = false

    @Flag(help: "No area: record movements of --distance, at intervals of --interval.")
    var significantChange = false

    @Option(
        help: ArgumentHelp(
            "No area: record when a beacon comes into range, and when it is gone.", valueName: "uuid[/major[/minor]]"))
    var beacon: BeaconArgument?

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
        guard shape.count + (visits ? 1 : 0) + (significantChange ? 1 : 0) + (beacon == nil ? 0 : 1) == 1 else {
            throw ValidationError(
                "give one shape: --circle, --here, --place, --polygon or --corridor; or --visits, "
                    + "--significant-change or --beacon")
        }
        guard shape.count == 1 || beacon != nil || (dwell == nil && assuming == nil) else {
            throw ValidationError("--dwell and --assuming require a shape or a beacon")
        }
    }

    func apply(to condition: inout Condition) {
        if visits { condition.visits = true }
        condition.beacon = beacon?.message
        if significantChange {
            condition.significantChange = ConditionSignificantChange(
                distance: distance?.metres, interval: interval?.seconds)
        }
    }
}
