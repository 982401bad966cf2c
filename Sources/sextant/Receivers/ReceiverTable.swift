import Locator
import Wire

/// Receivers as a table, a row for each and beneath it what it is and what is wrong with it.
struct ReceiverTable {
    var receivers: [ReceiverMessage]

    private static let heading = ["NAME", "STATE", "BAUD", "RATE", "FIXES", "SENTENCES", "DAMAGED", "SATELLITES", "PORT"]

    /// The table; of no height when there is no receiver.
    func canvas() -> Canvas {
        guard !receivers.isEmpty else { return Canvas(width: 0, height: 0) }
        var table = TextTable(ReceiverTable.heading, rightAligned: [2, 3, 4, 5, 6])
        for receiver in receivers { table.add(cells(receiver), styles: [.bold, receiver.state.style], notes: notes(receiver)) }
        return table.canvas()
    }

    private func cells(_ receiver: ReceiverMessage) -> [String] {
        let objects = SkyObject.merge(receiver.satellites)
        return [
            receiver.name, receiver.state.rawValue, receiver.baud.map(String.init) ?? "-",
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
