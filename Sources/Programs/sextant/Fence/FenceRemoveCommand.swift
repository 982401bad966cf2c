import ArgumentParser
import SextantAPI

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
        let client = try FenceClient(options)
        try client.checkMonitor()
        var removed = 0
        if all, let monitor = options.monitor {
            removed = try remove(try client.records(of: monitor).map(\.condition.identifier), of: monitor, on: client)
        } else {
            for (monitor, names) in try namesByMonitor(client) { removed += try remove(names, of: monitor, on: client) }
        }
        if options.output.isJSON { return try JSONLineWriter.print([RemoveReply(removed: removed)]) }
        try StandardOutput.write(lines: ["removed \(removed) \(removed == 1 ? "fence" : "fences")"])
    }

    /// Finds the monitor of each name. Nothing is removed if one of the names is wrong.
    private func namesByMonitor(_ client: FenceClient) throws(CommandError) -> [(monitor: String, names: [String])] {
        let monitors = options.monitor == nil ? try client.monitors().map(\.name) : []
        var found: [(monitor: String, names: [String])] = []
        for name in names {
            let monitor = try client.record(of: name, among: monitors).monitor
            if let index = found.firstIndex(where: { $0.monitor == monitor }) {
                found[index].names.append(name)
            } else {
                found.append((monitor, [name]))
            }
        }
        return found
    }

    private func remove(_ names: [String], of monitor: String, on client: FenceClient) throws(CommandError) -> Int {
        // Far below the 64 KiB of one call, even with the longest names.
        let batchSize = 200
        var removed = 0
        for start in stride(from: 0, to: names.count, by: batchSize) {
            let batch = Array(names[start..<min(start + batchSize, names.count)])
            let parameters = RemoveParameters(name: monitor, identifiers: batch, program: client.owner)
            removed += try client.call(MonitorMethods.remove, with: parameters).removed
        }
        let current = try client.monitors().first { $0.name == monitor }
        guard let current, current.conditions == 0, !current.isOpen, current.pending == 0 else { return removed }
        _ = try client.call(MonitorMethods.delete, with: DeleteParameters(name: monitor, program: client.owner))
        return removed
    }
}
