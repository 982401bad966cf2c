import ArgumentParser
import Locator
import SextantAPI
import Varlink

/// `sextant fence show`: shows the device's position relative to the nearest boundaries.
struct FenceShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a fence, or draw a map of the boundaries nearest the device.")

    @Argument(help: "Name of the fence (default: the fences nearest the device).")
    var name: String?

    @Option(help: ArgumentHelp("Number of boundaries to show, 1 to 100.", valueName: "number"))
    var count = 10

    @OptionGroup var options: FenceOptions

    func validate() throws {
        guard (1...100).contains(count) else { throw ValidationError("--count must be 1 to 100") }
    }

    func run() throws {
        let client = try FenceClient(options)
        let found = try name.map { name throws(CommandError) in try client.record(of: name) }
        if let found, !found.record.permission.isEmpty {
            return try printUnmonitored(found.record, of: found.monitor, owner: client.owner)
        }
        let monitor = found?.monitor ?? options.monitor
        // One more shows whether there are others.
        let asked = options.output.isJSON ? count : min(count + 1, 100)
        let parameters = NearestParameters(name: monitor, count: asked, program: client.owner)
        var nearest = try client.call(MonitorMethods.nearest, with: parameters)
        if options.output.isJSON {
            if let found {
                return try JSONLineWriter.print(FenceTable.Entry(monitor: found.monitor, record: found.record).members)
            }
            return try JSONLineWriter.print([nearest])
        }
        let hasMore = nearest.neighbours.count > count
        nearest.neighbours = Array(nearest.neighbours.prefix(count))
        var lines: [String] = []
        if let found {
            lines += FenceFormatter.lines(of: found.record, monitor: found.monitor, owner: client.owner)
            if let place = PlaceNames().text(found.record.condition) {
                lines.append(FenceFormatter.row("place", place))
            }
            // Scale the map to the requested fence.
            nearest.neighbours = FenceShowCommand.withFirst(
                found.record, of: nearest.neighbours, monitor: found.monitor)
        }
        if let location = nearest.location, !nearest.neighbours.isEmpty {
            let map = FenceMap(location: location, neighbours: nearest.neighbours, size: .ofStandardOutput)
            try StandardOutput.write(lines: lines + (lines.isEmpty ? [] : [""]))
            try StandardOutput.write(map.canvas())
            lines = found == nil ? nearest.neighbours.map(FenceFormatter.line) : []
            if found == nil, hasMore { lines.append("these are the nearest; --count shows more") }
        } else if found?.record.condition.hasArea ?? true {
            lines.append(
                nearest.location == nil
                    ? "no current position; find the cause with: sextant doctor" : "no fence is monitored")
        }
        try StandardOutput.write(lines: lines)
        if found == nil, nearest.neighbours.isEmpty { throw ExitCode(ExitStatus.noResult.rawValue) }
    }

    /// Prints a fence that is not monitored because its program may not know the full location.
    /// There is no position to draw.
    private func printUnmonitored(
        _ record: ConditionRecord, of monitor: String, owner: String
    ) throws(CommandError) {
        if options.output.isJSON {
            return try JSONLineWriter.print(FenceTable.Entry(monitor: monitor, record: record).members)
        }
        try StandardOutput.write(lines: FenceFormatter.lines(of: record, monitor: monitor, owner: owner))
    }

    private static func withFirst(_ record: ConditionRecord, of neighbours: [Neighbour], monitor: String)
        -> [Neighbour]
    {
        guard let distance = record.distance else { return neighbours }
        let requested = Neighbour(
            monitor: monitor, condition: record.condition, state: record.state, distance: distance)
        return [requested] + neighbours.filter { $0.condition.identifier != record.condition.identifier }
    }
}
