import ArgumentParser
import Wire

/// `sextant fence remove`: places that are not watched any more.
struct FenceRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove fences, and what waits of them.",
        discussion: "A monitor that is empty then and that nobody follows is removed with them. --all removes all of --monitor.")

    @Argument(help: "What they are called.")
    var names: [String] = []

    @Flag(help: "All fences of the monitor.")
    var all = false

    @OptionGroup var options: FenceOptions

    func validate() throws {
        guard all == names.isEmpty else { throw ValidationError("name the fences, or say --all with --monitor") }
        guard !all || options.monitor != nil else { throw ValidationError("--all needs --monitor") }
    }

    func run() throws {
        var removed = 0
        if all, let monitor = options.monitor {
            removed = try remove(try options.records(of: monitor).map(\.condition.identifier), of: monitor)
        } else {
            for name in names { removed += try remove([name], of: try options.record(of: name).monitor) }
        }
        if options.output.isJSON { return try LineOutput.print([RemoveReply(removed: removed)]) }
        try StandardOutput.write(lines: ["removed \(removed) \(removed == 1 ? "fence" : "fences")"])
    }

    private func remove(_ names: [String], of monitor: String) throws(CommandError) -> Int {
        // Far below the 64 KiB of one call, whatever they are called.
        let atOnce = 200
        var removed = 0
        for start in stride(from: 0, to: names.count, by: atOnce) {
            let some = Array(names[start..<min(start + atOnce, names.count)])
            let wish = RemoveParameters(name: monitor, identifiers: some, program: options.owner)
            removed += try options.daemon.call(DaemonMethod.removeConditions, wish, as: RemoveReply.self).removed
        }
        let left = try options.monitors().first { $0.name == monitor }
        guard let left, left.conditions == 0, !left.isOpen, left.pending == 0 else { return removed }
        _ = try options.daemon.call(
            DaemonMethod.deleteMonitor, MonitorParameters(name: monitor, program: options.owner), as: EmptyReply.self)
        return removed
    }

    /// A reply without parameters.
    private struct EmptyReply: Decodable {}
}
