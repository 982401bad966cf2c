import Locator
import Wire

/// Who makes the position.
struct ReceiverPanel {
    var receiver: ReceiverMessage?
    var others: [ReceiverMessage]

    func draw(on canvas: inout Canvas, in area: Area) {
        guard let receiver else {
            canvas.put("none known", area.column, area.row, .dim, limit: area.endColumn)
            return
        }
        let next = canvas.put(Columns.harmless(receiver.name) + "  ", area.column, area.row, .bold, limit: area.endColumn)
        let state = canvas.put(receiver.state.rawValue, next, area.row, receiver.state.style, limit: area.endColumn)
        canvas.put("  " + identity(receiver), state, area.row, limit: area.endColumn)
        if area.height > 1 { canvas.put(ReceiverWords.counts(receiver), area.column, area.row + 1, .dim, limit: area.endColumn) }
        if area.height > 2 { canvas.put(more(receiver), area.column, area.row + 2, .dim, limit: area.endColumn) }
    }

    private func identity(_ receiver: ReceiverMessage) -> String {
        let parts = [
            receiver.product.map(Columns.harmless), receiver.port, receiver.baud.map { "\($0) baud" }, ReceiverWords.rate(receiver),
        ]
        return parts.compactMap { $0 }.joined(separator: " · ")
    }

    private func more(_ receiver: ReceiverMessage) -> String {
        if !others.isEmpty {
            let words = others.map { "\(Columns.harmless($0.name)) (\(ReceiverWords.choice($0) ?? $0.state.rawValue))" }
            return "also " + words.joined(separator: ", ")
        }
        if let words = ReceiverWords.identity(receiver) { return words }
        guard !receiver.says.isEmpty else { return "" }
        return "says: " + receiver.says.map(Columns.harmless).joined(separator: " · ")
    }
}

/// A receiver's figures in words.
enum ReceiverWords {
    /// "1 Hz"; nil while the rate is unknown.
    static func rate(_ receiver: ReceiverMessage) -> String? {
        receiver.rate.map { rate in
            let isWhole = (rate - rate.rounded()).magnitude < 0.05
            return Fixed.text(rate, isWhole ? 0 : 1) + " Hz"
        }
    }

    /// "speaks for the device: ±2.4 m"; nil for one without a fix.
    static func choice(_ receiver: ReceiverMessage) -> String? {
        guard let accuracy = receiver.horizontalAccuracy else { return nil }
        return (receiver.isChosen ? "speaks for the device: " : "stands by: ") + "±\(LengthText.metres(accuracy))"
    }

    /// "u-blox · NEO-M8N-0 · UBX-M80xx · firmware SPG 3.01 · protocol 18.00"; nil where the receiver has told nothing.
    static func identity(_ receiver: ReceiverMessage) -> String? {
        guard let identity = receiver.identity else { return nil }
        let parts = [
            identity.vendor, identity.module, identity.chipset, identity.firmware.map { "firmware \($0)" },
            identity.protocolVersion.map { "protocol \($0)" },
        ]
        return parts.compactMap { $0 }.map(Columns.harmless).joined(separator: " · ")
    }

    /// "rests by ubloxStandby · driven as ublox8"; nil where nobody has tried to tell it anything.
    static func driver(_ receiver: ReceiverMessage) -> String? {
        guard let driver = receiver.driver else { return nil }
        let activity =
            switch driver.activity {
            case .unknown: "not driven yet"
            case .talking: "is being told how to work"
            case .working: "works as its use asks for"
            case .savingPower: "saves power between fixes"
            case .resting: "rests" + (driver.restsBy.map { " by \($0)" } ?? "")
            case .unheard: "not needed: its port is closed"
            }
        let parts = [activity, driver.chip.map { "driven as \($0)" }, driver.isDeaf ? "hears no commands" : nil]
        return parts.compactMap { $0 }.map(Columns.harmless).joined(separator: " · ")
    }

    /// Lines and bytes that were thrown away.
    static func damaged(_ counts: CountsMessage) -> Int {
        counts.checksumErrors + counts.missingChecksums + counts.overlong + counts.truncated + counts.malformed
    }

    /// "12,345 sentences · 1,234 fixes of 1,300 epochs · 3 damaged"
    static func counts(_ receiver: ReceiverMessage) -> String {
        let counts = receiver.counts
        var parts = ["\(Fixed.grouped(counts.sentences)) sentences"]
        parts.append("\(Fixed.grouped(counts.fixes)) fixes in \(Fixed.grouped(counts.epochs)) epochs")
        parts.append("\(Fixed.grouped(damaged(counts))) damaged")
        if counts.strayBytes > 0 { parts.append("\(Fixed.grouped(counts.strayBytes)) stray bytes") }
        return parts.joined(separator: " · ")
    }
}
