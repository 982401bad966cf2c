import Chronology
import SextantAPI

/// The sky of one receiver, once or live: the sky plot and the signal bars.
struct SkyDrawing: LiveView {
    /// The requested receiver; nil for the first with a fix.
    var receiver: String?
    private var receivers: [Receiver] = []
    private var connectionLoss: CommandError?
    /// Why the program gets no satellites, if it may not know the full location.
    private var limitation: String?

    init(receiver: String?) {
        self.receiver = receiver
    }

    mutating func update(with event: DaemonFeed.Event, at now: Instant) {
        switch event {
        case .connected, .replied: connectionLoss = nil
        case .disconnected(let error, _), .hung(let error): connectionLoss = error
        case .receivers(let list): receivers = list
        case .update(let update):
            limitation =
                update.permission.isEmpty
                ? nil : update.detail.map(ProgramFormatter.sentence) ?? update.permission.headline
        case .visit, .heading, .beacons, .monitor, .agent, .sentences: break
        }
    }

    func draw(_ size: TerminalSize, at now: Instant) -> Canvas {
        var canvas = Canvas(width: size.columns, height: size.rows)
        if let chosen = SkyDrawing.selectReceiver(receiver, from: receivers) {
            SkyDrawing.draw(
                chosen, on: &canvas, in: Area(column: 0, row: 0, width: size.columns, height: size.rows - 1))
        } else {
            canvas.put("No receiver.", column: 2, row: 2, style: .warning)
        }
        if let limitation {
            for (index, line) in DisplayWidth.wrap(limitation, to: size.columns - 4).enumerated() {
                canvas.put(line, column: 2, row: 2 + index, style: .warning)
            }
        }
        let footer = connectionLoss.map { " \($0.description); retrying. q quits." } ?? " q quits"
        canvas.put(
            footer, column: 0, row: size.rows - 1,
            style: connectionLoss == nil ? .dim : Style(colour: .yellow, isReversed: true))
        return canvas
    }

    static func canvas(of receiver: Receiver, width: Int, height: Int) -> Canvas {
        var canvas = Canvas(width: width, height: height)
        draw(receiver, on: &canvas, in: canvas.area)
        return canvas
    }

    /// Returns the receiver of that name or port. Without a name, returns the first with a fix,
    /// else the first.
    static func selectReceiver(_ name: String?, from receivers: [Receiver]) -> Receiver? {
        if let name { return receivers.first { $0.name == name || $0.port == name } }
        return receivers.first { $0.state == .hasFix } ?? receivers.first { !$0.satellites.isEmpty } ?? receivers.first
    }

    private static func draw(_ receiver: Receiver, on canvas: inout Canvas, in area: Area) {
        let satellites = Satellite.merge(receiver.satellites)
        drawTitle(of: receiver, satellites: satellites, on: &canvas, in: area)
        let body = Area(column: area.column, row: area.row + 2, width: area.width, height: area.height - 2)
        let plotWidth = min(body.height * 2, max(0, area.width - 30))
        SkyPlot(satellites: satellites).draw(
            on: &canvas, in: Area(column: 1, row: body.row, width: plotWidth, height: body.height))
        let column = plotWidth > 0 ? plotWidth + 4 : 1
        let side = Area(column: column, row: body.row, width: min(40, area.endColumn - column - 1), height: body.height)
        let table = ConstellationTable(satellites: satellites)
        // In a low terminal the bars of each satellite are more important than those of each
        // constellation.
        let tableRows = body.height >= table.systems.count + 8 ? table.systems.count + 1 : 0
        if tableRows > 0 {
            table.draw(
                on: &canvas, in: Area(column: side.column, row: side.row, width: side.width, height: tableRows - 1))
        }
        let bars = Area(
            column: side.column, row: side.row + tableRows, width: side.width, height: side.height - tableRows)
        SignalChart(satellites: satellites).draw(on: &canvas, in: bars)
    }

    private static func drawTitle(
        of receiver: Receiver, satellites: [Satellite], on canvas: inout Canvas, in area: Area
    ) {
        let name = canvas.put(
            " " + receiver.name, column: area.column, row: area.row, style: .heading,
            limit: area.endColumn)
        let summary = "  \(satellites.count(where: \.used)) used of \(satellites.count) in view"
        let next = canvas.put(summary, column: name, row: area.row, limit: area.endColumn)
        let dops = [("PDOP", receiver.pdop), ("HDOP", receiver.hdop), ("VDOP", receiver.vdop)]
        let dopText = dops.compactMap { dop in dop.1.map { "\(dop.0) \(DecimalText.text($0, decimals: 1))" } }.joined(
            separator: "  ")
        // While the receiver sleeps, they are those of the last satellites.
        if !satellites.isEmpty {
            canvas.put("   " + dopText, column: next, row: area.row, style: .dim, limit: area.endColumn)
        }
        guard let moment = receiver.lastEpoch.map(TimeText.moment),
            canvas.isBlank(area.endColumn - moment.count - 2..<area.endColumn, row: area.row)
        else { return }
        canvas.put(moment, before: area.endColumn - 1, row: area.row, style: .dim)
    }
}
