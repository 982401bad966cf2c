import Geofencing
import Wire

/// Fences as a table, a row for each and beneath it what is wrong with it.
struct FenceTable {
    /// A fence and where it is kept.
    struct Entry: Encodable {
        var monitor: String
        var record: RecordMessage
    }

    var entries: [Entry]

    /// The table; of no height when there is no fence.
    func canvas() -> Canvas {
        guard !entries.isEmpty else { return Canvas(width: 0, height: 0) }
        var table = TextTable(["FENCE", "STATE", "SINCE", "DISTANCE", "PENDING", "MONITOR", "PLACE"])
        for entry in entries {
            let styles = [.bold, FenceWords.style(entry.record.state)]
            table.add(cells(entry), styles: styles, notes: FenceTable.notes(entry.record), .warning)
        }
        return table.canvas()
    }

    private func cells(_ entry: Entry) -> [String] {
        let record = entry.record
        return [
            record.condition.identifier, FenceWords.state(record.state), record.since ?? "-",
            record.distance.map(FenceWords.distance) ?? "-", FenceTable.pending(record), entry.monitor, FenceWords.shape(record.condition),
        ]
    }

    private static func pending(_ record: RecordMessage) -> String {
        guard let pending = record.pending else { return "-" }
        return pending.kind.rawValue + (record.isMorePending ? " and more" : "")
    }

    private static func notes(_ record: RecordMessage) -> [String] {
        var notes: [String] = []
        if record.conditionLimitExceeded { notes.append("not watched: the program has more fences than its limit") }
        if record.radiusTooSmall { notes.append("too small for the present accuracy: the device may never be found inside") }
        if record.persistenceUnavailable { notes.append("its state cannot be written down: see journalctl -u sextantd") }
        return notes
    }
}
