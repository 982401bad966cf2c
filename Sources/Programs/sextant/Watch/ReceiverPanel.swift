import Locator
import Wire

/// The receiver that provides the position.
struct ReceiverPanel {
    var receiver: ReceiverMessage?
    var others: [ReceiverMessage]

    func draw(on canvas: inout Canvas, in area: Area) {
        guard let receiver else {
            canvas.put("no receiver", column: area.column, row: area.row, style: .dim, limit: area.endColumn)
            return
        }
        let next = canvas.put(
            receiver.name + "  ", column: area.column, row: area.row, style: .bold,
            limit: area.endColumn)
        let state = ReceiverFormatter.state(receiver)
        let end = canvas.put(
            state.displayText, column: next, row: area.row, style: state.style, limit: area.endColumn)
        canvas.put("  " + identity(receiver), column: end, row: area.row, limit: area.endColumn)
        if area.height > 1 {
            canvas.put(
                ReceiverFormatter.counts(receiver), column: area.column, row: area.row + 1, style: .dim,
                limit: area.endColumn)
        }
        if area.height > 2 {
            canvas.put(footnote(receiver), column: area.column, row: area.row + 2, style: .dim, limit: area.endColumn)
        }
    }

    private func identity(_ receiver: ReceiverMessage) -> String {
        let parts = [
            receiver.product, receiver.port, receiver.baud.map { "\($0) baud" },
            ReceiverFormatter.rate(receiver),
        ]
        return parts.compactMap { $0 }.joined(separator: " · ")
    }

    private func footnote(_ receiver: ReceiverMessage) -> String {
        if !others.isEmpty {
            let descriptions = others.map {
                "\($0.name) (\(ReceiverFormatter.role($0) ?? ReceiverFormatter.state($0).displayText))"
            }
            return "also " + descriptions.joined(separator: ", ")
        }
        if let identity = ReceiverFormatter.identity(receiver) { return identity }
        guard !receiver.says.isEmpty else { return "" }
        return "reports: " + receiver.says.joined(separator: " · ")
    }
}
