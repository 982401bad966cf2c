import Locator
import Wire

/// Receivers as a table, a row for each and beneath it what it is and what is wrong with it.
struct ReceiverTable {
    var receivers: [ReceiverMessage]

    private static let heading = ["NAME", "STATE", "BAUD", "RATE", "FIXES", "SENTENCES", "DAMAGED", "SATELLITES", "PORT"]
    private static let rightAligned = 2...6
    /// Wide enough for any line; what a terminal cannot show it wraps.
    private static let widest = 200

    /// The table; of no height when there is no receiver.
    func canvas() -> Canvas {
        guard !receivers.isEmpty else { return Canvas(width: 0, height: 0) }
        let rows = receivers.map(cells)
        let widths = ReceiverTable.heading.indices.map { at in ([ReceiverTable.heading] + rows).map { Columns.width(of: $0[at]) }.max() ?? 0
        }
        let notes = receivers.map(notes)
        var canvas = Canvas(width: ReceiverTable.widest, height: 1 + notes.reduce(0) { $0 + 1 + $1.count })
        put(ReceiverTable.heading, widths, on: &canvas, 0, .dim, state: .dim)
        var row = 1
        for (at, receiver) in receivers.enumerated() {
            put(rows[at], widths, on: &canvas, row, .plain, state: receiver.state.style)
            row += 1
            for note in notes[at] {
                canvas.put("  " + note, 0, row, .dim)
                row += 1
            }
        }
        return canvas
    }

    private func put(_ cells: [String], _ widths: [Int], on canvas: inout Canvas, _ row: Int, _ style: Style, state: Style) {
        var column = 0
        for (at, cell) in cells.enumerated() {
            let text = Columns.fit(cell, to: widths[at], alignRight: ReceiverTable.rightAligned.contains(at))
            canvas.put(text, column, row, at == 1 ? state : at == 0 && style == .plain ? .bold : style)
            column += widths[at] + 2
        }
    }

    private func cells(_ receiver: ReceiverMessage) -> [String] {
        let objects = SkyObject.merge(receiver.satellites)
        return [
            Columns.harmless(receiver.name), receiver.state.rawValue, receiver.baud.map(String.init) ?? "-",
            ReceiverWords.rate(receiver) ?? "-", Fixed.grouped(receiver.counts.fixes), Fixed.grouped(receiver.counts.sentences),
            Fixed.grouped(ReceiverWords.damaged(receiver.counts)), "\(objects.count(where: \.used)) of \(objects.count)", receiver.port,
        ]
    }

    private func notes(_ receiver: ReceiverMessage) -> [String] {
        var lines: [String] = []
        let identity = [receiver.product, receiver.usb.map { "USB \($0)" }, receiver.serialNumber.map { "serial number \($0)" }]
        let known = identity.compactMap { $0 }.map(Columns.harmless)
        if !known.isEmpty { lines.append(known.joined(separator: " · ")) }
        if let words = ReceiverWords.identity(receiver) { lines.append(words) }
        if let words = ReceiverWords.driver(receiver) { lines.append(words) }
        if !receiver.says.isEmpty { lines.append("says: " + receiver.says.map(Columns.harmless).joined(separator: " · ")) }
        if receivers.count > 1, let choice = ReceiverWords.choice(receiver) { lines.append(choice) }
        if let detail = receiver.detail { lines.append(Columns.harmless(detail)) }
        return lines
    }
}
