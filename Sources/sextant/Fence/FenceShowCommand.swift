import ArgumentParser
import Wire

/// `sextant fence show`: where the device is against the nearest boundaries.
struct FenceShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a fence, or draw where the device is against the nearest boundaries.")

    @Argument(help: "The fence; left out: those around the device.")
    var name: String?

    @Option(help: ArgumentHelp("How many boundaries are looked at, 1 to 100.", valueName: "number"))
    var count = 10

    @OptionGroup var options: FenceOptions

    func validate() throws {
        guard (1...100).contains(count) else { throw ValidationError("--count is from 1 to 100") }
    }

    func run() throws {
        let found = try name.map { name throws(CommandError) in try options.record(of: name) }
        let monitor = found?.monitor ?? options.monitor
        let question = NearestParameters(name: monitor, count: count, program: options.owner)
        var around = try options.daemon.call(DaemonMethod.nearestConditions, question, as: NearestReply.self)
        if options.output.isJSON {
            if let found { return try LineOutput.print([FenceTable.Entry(monitor: found.monitor, record: found.record)]) }
            return try LineOutput.print([around])
        }
        var lines: [String] = []
        if let found {
            lines += FenceText.lines(found.record, monitor: found.monitor)
            // The one asked for is what the picture is about.
            around.neighbours = FenceShowCommand.first(found.record, of: around.neighbours, monitor: found.monitor)
        }
        if let location = around.location, !around.neighbours.isEmpty {
            let picture = FencePicture(location: location, neighbours: around.neighbours, size: .ofStandardOutput)
            lines += (lines.isEmpty ? [] : [""]) + picture.canvas().lines(.ofStandardOutput)
            if found == nil { lines += around.neighbours.map(FenceText.line) }
        } else {
            lines.append(around.location == nil ? "no position now; why: sextant doctor" : "no fence is watched")
        }
        try StandardOutput.write(lines: lines)
        if found == nil, around.neighbours.isEmpty { throw ExitCode(ExitStatus.nothing.rawValue) }
    }

    private static func first(_ record: RecordMessage, of neighbours: [NeighbourMessage], monitor: String) -> [NeighbourMessage] {
        guard let distance = record.distance else { return neighbours }
        let it = NeighbourMessage(monitor: monitor, condition: record.condition, state: record.state, distance: distance)
        return [it] + neighbours.filter { $0.condition.identifier != record.condition.identifier }
    }
}
