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

    private static let heading = ["FENCE", "STATE", "SINCE", "DISTANCE", "PENDING", "MONITOR", "PLACE"]
    private static let stateColumn = 1
    /// Wide enough for any line; what a terminal cannot show it wraps.
    private static let widest = 240

    /// The table; of no height when there is no fence.
    func canvas() -> Canvas {
        guard !entries.isEmpty else { return Canvas(width: 0, height: 0) }
        let rows = entries.map(cells)
        let widths = FenceTable.heading.indices.map { at in
            ([FenceTable.heading] + rows).map { Columns.width(of: $0[at]) }.max() ?? 0
        }
        let notes = entries.map { FenceTable.notes($0.record) }
        var canvas = Canvas(width: FenceTable.widest, height: 1 + notes.reduce(0) { $0 + 1 + $1.count })
        put(FenceTable.heading, widths, on: &canvas, 0, .dim, state: .dim)
        var row = 1
        for (at, entry) in entries.enumerated() {
            put(rows[at], widths, on: &canvas, row, .plain, state: FenceWords.style(entry.record.state))
            row += 1
            for note in notes[at] {
                canvas.put("  " + note, 0, row, .warning)
                row += 1
            }
        }
        return canvas
    }

    private func put(_ cells: [String], _ widths: [Int], on canvas: inout Canvas, _ row: Int, _ style: Style, state: Style) {
        var column = 0
        for (at, cell) in cells.enumerated() {
            let style = at == FenceTable.stateColumn ? state : at == 0 && style == .plain ? .bold : style
            canvas.put(Columns.fit(cell, to: widths[at]), column, row, style)
            column += widths[at] + 2
        }
    }

    private func cells(_ entry: Entry) -> [String] {
        let record = entry.record
        return [
            Columns.harmless(record.condition.identifier), FenceWords.state(record.state), record.since ?? "-",
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
