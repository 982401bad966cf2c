import ArgumentParser
import Wire

/// `sextant fence remove`: removes fences.
struct FenceRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove fences and their pending events.",
        discussion: "Also removes a monitor that is then empty and that no program follows. --all requires --monitor."
    )

    @Argument(help: "Names of the fences.")
    var names: [String] = []

    @Flag(help: "Remove all fences of the monitor.")
    var all = false

    @OptionGroup var options: FenceOptions

    func validate() throws {
        guard all == names.isEmpty else { throw ValidationError("name the fences, or use --all with --monitor") }
        guard !all || options.monitor != nil else { throw ValidationError("--all needs --monitor") }
    }

    func run() throws {
        var removed = 0
        if all, let monitor = options.monitor {
            removed = try remove(try options.records(of: monitor).map(\.condition.identifier), of: monitor)
        } else {
            for name in names { removed += try remove([name], of: try options.record(of: name).monitor) }
        }
        if options.output.isJSON { return try JSONLineWriter.print([RemoveReply(removed: removed)]) }
        try StandardOutput.write(lines: ["removed \(removed) \(removed == 1 ? "fence" : "fences")"])
    }

    private func remove(_ names: [String], of monitor: String) throws(CommandError) -> Int {
        // Far below the 64 KiB of one call, even with the longest names.
        let batchSize = 200
        var removed = 0
        for start in stride(from: 0, to: names.count, by: batchSize) {
            let batch = Array(names[start..<min(start + batchSize, names.count)])
            let parameters = RemoveParameters(name: monitor, identifiers: batch, program: options.owner)
            removed += try options.daemon.call(MonitorMethods.remove, with: parameters).removed
        }
        let current = try options.monitors().first { $0.name == monitor }
        guard let current, current.conditions == 0, !current.isOpen, current.pending == 0 else { return removed }
        _ = try options.daemon.call(
            MonitorMethods.delete, with: MonitorParameters(name: monitor, program: options.owner))
        return removed
    }
}
