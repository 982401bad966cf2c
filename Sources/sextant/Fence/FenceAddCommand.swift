import ArgumentParser
import Geofencing
import Varlink
import Wire

/// `sextant fence add`: adds or replaces a fence.
struct FenceAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a fence, or replace the fence of that name.",
        discussion: """
            Angles are in degrees (WGS-84). Put an equals sign before a value that begins with a minus sign: \
            --circle=-33.86,151.2,200.
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
            "Monitor the fence until this date or time: 2027-01-31 or 2027-01-31T12:00:00Z.", valueName: "moment"))
    var expires: String?

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

    func validate() throws { try subject.check(shape, dwell: dwell, assuming: assuming) }

    func run() throws {
        let monitor = options.monitor ?? name
        var condition = ConditionMessage(identifier: name)
        subject.apply(to: &condition)
        try shape.apply(to: &condition) { () throws(CommandError) in
            options.daemon.declareSession()
            return try options.daemon.call(
                LocationMethods.getLocation, with: GetLocationParameters(), timeout: .seconds(20)
            ).location
        }
        condition.dwell = dwell?.seconds
        condition.expiry = expires
        condition.assuming = assuming?.state
        if !metadata.isEmpty {
            condition.metadata = Dictionary(metadata.map { ($0.key, .string($0.value)) }) { _, last in last }
        }
        let parameters = AddParameters(name: monitor, conditions: [condition], program: options.owner)
        let reply = try options.daemon.call(MonitorMethods.add, with: parameters)
        if options.output.isJSON { return try JSONLineWriter.print([reply]) }
        let verb = reply.replaced > 0 ? "replaced" : "added"
        try StandardOutput.write(lines: ["\(verb) \(name) in the monitor \(monitor)"])
        FenceFormatter.warn(unmonitored: reply.unmonitored)
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
