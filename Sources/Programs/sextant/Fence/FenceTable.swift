import ArgumentParser
import SextantAPI
import Varlink

/// The fences as a table: one row per fence, with its problems below it.
struct FenceTable {
    /// A fence and its monitor.
    struct Entry {
        var monitor: String
        var record: ConditionRecord

        /// The members that `--json` prints.
        var members: [String: JSONValue] { ["monitor": .string(monitor), "record": .object(record.members)] }
    }

    var entries: [Entry]
    /// The program that the fences belong to.
    var owner: String
    /// Returns the name of a fence's position, if known.
    var placeName: (Condition) -> String? = { _ in nil }

    /// Returns the table; its height is 0 if there is no fence.
    ///
    /// - Parameter columns: The width of the terminal; nil for whole lines.
    func canvas(columns: Int?) -> Canvas {
        guard !entries.isEmpty else { return Canvas(width: 0, height: 0) }
        var table = TextTable(["FENCE", "STATE", "SINCE", "DISTANCE", "PENDING", "MONITOR", "SHAPE"])
        for entry in entries {
            let styles = [.bold, FenceFormatter.style(entry.record.state)]
            table.add(cells(entry), styles: styles, notes: notes(entry.record), noteStyle: .warning)
        }
        return table.canvas(columns: columns)
    }

    private func cells(_ entry: Entry) -> [String] {
        let record = entry.record
        return [
            record.condition.identifier, FenceFormatter.state(of: record), record.since.map(TimeText.moment) ?? "-",
            record.distance.map(FenceFormatter.distance) ?? "-", FenceTable.pending(record), entry.monitor,
            [FenceFormatter.shape(record.condition), placeName(record.condition)].compactMap { $0 }
                .joined(separator: " · "),
        ]
    }

    private static func pending(_ record: ConditionRecord) -> String {
        guard let pending = record.pending else { return "-" }
        return pending.kind.rawValue + (record.isMorePending ? " and more" : "")
    }

    private func notes(_ record: ConditionRecord) -> [String] {
        var notes: [String] = []
        if !record.permission.isEmpty { notes.append(record.permission.reason(for: owner)) }
        if let problem = record.conditionUnsupported { notes.append("not monitored: \(problem)") }
        if record.conditionLimitExceeded { notes.append("not monitored: the program has more fences than its limit") }
        if record.radiusTooSmall { notes.append(FenceFormatter.tooSmall()) }
        if record.persistenceUnavailable {
            notes.append("the daemon cannot save its state: see journalctl -u sextantd")
        }
        return notes
    }
}

/// `sextant fence list`: lists the fences and their states.
struct FenceListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the fences and their states.",
        discussion: "Exit with status 2 if there is no fence.")

    @OptionGroup var options: FenceOptions

    func run() throws {
        let client = try FenceClient(options)
        let monitors = try client.monitors().filter { monitor in options.monitor.map { $0 == monitor.name } ?? true }
        if let name = options.monitor, monitors.isEmpty { throw CommandError(monitor: .noSuchMonitor(name: name)) }
        var entries: [FenceTable.Entry] = []
        for monitor in monitors {
            entries += try client.records(of: monitor.name).map { FenceTable.Entry(monitor: monitor.name, record: $0) }
        }
        if options.output.isJSON {
            try JSONLineWriter.print(entries.map(\.members))
        } else {
            let table = FenceTable(entries: entries, owner: client.owner, placeName: PlaceNames().text)
            try StandardOutput.write(table.canvas(columns: StandardOutput.columns))
        }
        guard !entries.isEmpty || options.program == nil else {
            throw CommandError("the program \(client.owner) has no fence", exitStatus: .noResult)
        }
        guard !entries.isEmpty else {
            throw CommandError(
                "there is no fence; add one with: sextant fence add home --here 150", exitStatus: .noResult)
        }
    }
}
