import Chronology
import Locator
import Wire

/// The sky of one receiver, once or live: the plot, and beside it the bars.
struct SkyPicture: LivePicture {
    /// The one asked for; nil for the first with a fix.
    var receiver: String?
    private var receivers: [ReceiverMessage] = []
    private var lost: CommandError?

    init(receiver: String?) {
        self.receiver = receiver
    }

    mutating func take(_ event: DaemonFeed.Event, at now: Instant) {
        switch event {
        case .connected: lost = nil
        case .lost(let error, _): lost = error
        case .receivers(let list): receivers = list
        case .update, .visit, .monitor: break
        }
    }

    func draw(_ size: TerminalSize, at now: Instant) -> Canvas {
        var canvas = Canvas(width: size.columns, height: size.rows)
        if let chosen = SkyPicture.choose(receiver, from: receivers) {
            SkyPicture.draw(chosen, on: &canvas, in: Area(column: 0, row: 0, width: size.columns, height: size.rows - 1))
        } else {
            canvas.put("No receiver.", 2, 2, .warning)
        }
        let footer = lost.map { " \($0.description); trying again. q quits." } ?? " q quits"
        canvas.put(footer, 0, size.rows - 1, lost == nil ? .dim : Style(colour: .yellow, isReversed: true))
        return canvas
    }

    /// One receiver's sky at a size.
    static func picture(of receiver: ReceiverMessage, width: Int, height: Int) -> Canvas {
        var canvas = Canvas(width: width, height: height)
        draw(receiver, on: &canvas, in: canvas.area)
        return canvas
    }

    /// The receiver of that name or port; without one the first with a fix, else the first.
    static func choose(_ name: String?, from receivers: [ReceiverMessage]) -> ReceiverMessage? {
        if let name { return receivers.first { $0.name == name || $0.port == name } }
        return receivers.first { $0.state == .fixing } ?? receivers.first { !$0.satellites.isEmpty } ?? receivers.first
    }

    private static func draw(_ receiver: ReceiverMessage, on canvas: inout Canvas, in area: Area) {
        let objects = SkyObject.merge(receiver.satellites)
        title(receiver, objects, on: &canvas, in: area)
        let body = Area(column: area.column, row: area.row + 2, width: area.width, height: area.height - 2)
        let plotWidth = min(body.height * 2, max(0, area.width - 30))
        SkyPlot(objects: objects).draw(on: &canvas, in: Area(column: 1, row: body.row, width: plotWidth, height: body.height))
        let column = plotWidth > 0 ? plotWidth + 4 : 1
        let side = Area(column: column, row: body.row, width: min(40, area.endColumn - column - 1), height: body.height)
        let table = ConstellationTable(objects: objects)
        // In a low terminal the bars of each satellite are worth more than those of each system.
        let tableRows = body.height >= table.systems.count + 8 ? table.systems.count + 1 : 0
        if tableRows > 0 {
            table.draw(on: &canvas, in: Area(column: side.column, row: side.row, width: side.width, height: tableRows - 1))
        }
        let bars = Area(column: side.column, row: side.row + tableRows, width: side.width, height: side.height - tableRows)
        SignalChart(objects: objects).draw(on: &canvas, in: bars)
    }

    private static func title(_ receiver: ReceiverMessage, _ objects: [SkyObject], on canvas: inout Canvas, in area: Area) {
        let name = canvas.put(" " + Columns.harmless(receiver.name), area.column, area.row, .heading, limit: area.endColumn)
        let words = "  \(objects.count(where: \.used)) used of \(objects.count) in view"
        let next = canvas.put(words, name, area.row, limit: area.endColumn)
        let dops = [("PDOP", receiver.pdop), ("HDOP", receiver.hdop), ("VDOP", receiver.vdop)]
        let known = dops.compactMap { dop in dop.1.map { "\(dop.0) \(Fixed.text($0, 1))" } }.joined(separator: "  ")
        canvas.put("   " + known, next, area.row, .dim, limit: area.endColumn)
        let start = area.endColumn - 26
        guard let moment = receiver.lastEpoch.map(TimeText.moment), canvas.isBlank(start..<area.endColumn, area.row) else { return }
        canvas.put(moment, before: area.endColumn - 1, area.row, .dim)
    }
}
