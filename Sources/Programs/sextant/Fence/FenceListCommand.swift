import ArgumentParser
import SextantAPI

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
            try JSONLineWriter.print(entries)
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
