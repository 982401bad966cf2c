import ArgumentParser
import Geofencing
import Varlink
import Wire

/// `sextant fence add`: one more place to watch.
struct FenceAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a fence, or put another in the place of the one of that name.",
        discussion: """
            Angles are degrees, WGS-84. A value that begins with a minus sign needs an equals sign before it: --circle=-33.86,151.2,200.
            """)

    @Argument(help: "What it is called.")
    var name: String

    @OptionGroup var shape: FenceShapeArguments

    @Option(help: ArgumentHelp("Tell also when the device has been inside for this time: 90s, 5m, 1h.", valueName: "time"))
    var dwell: TimeArgument?

    @Option(help: ArgumentHelp("Watch it until then: 2027-01-31 or 2027-01-31T12:00:00Z.", valueName: "moment"))
    var expires: String?

    @Option(help: ArgumentHelp("What is taken to be so at first: only what differs is told (inside, outside).", valueName: "state"))
    var assuming: AssumedState?

    @Option(help: ArgumentHelp("Something to be kept with it and told with its events; once for each.", valueName: "key=value"))
    var metadata: [MetadataArgument] = []

    @OptionGroup var options: FenceOptions

    func run() throws {
        let monitor = options.monitor ?? name
        var condition = ConditionMessage(identifier: name)
        try shape.place(&condition) { () throws(CommandError) in
            try options.daemon.call(
                DaemonMethod.getLocation, GetLocationParameters(), as: GetLocationReply.self, timeout: .seconds(20)
            ).location
        }
        (condition.dwell, condition.expiry, condition.assuming) = (dwell?.seconds, expires, assuming?.state)
        if !metadata.isEmpty {
            condition.metadata = Dictionary(metadata.map { ($0.key, .string($0.value)) }) { _, last in last }
        }
        let wish = AddParameters(name: monitor, conditions: [condition], program: options.owner)
        let reply = try options.daemon.call(DaemonMethod.addConditions, wish, as: AddReply.self)
        if options.output.isJSON { return try LineOutput.print([reply]) }
        let verb = reply.replaced > 0 ? "replaced" : "added"
        try StandardOutput.write(lines: ["\(verb) \(Columns.harmless(name)), in the monitor \(monitor)"])
        FenceWords.warn(unmonitored: reply.unmonitored)
    }

    /// What a fence may be taken for.
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
