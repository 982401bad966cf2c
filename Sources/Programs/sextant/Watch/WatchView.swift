import Chronology
import SextantAPI

/// The live view: its data and its drawing.
struct WatchView: LiveView {
    var configuration: Configuration
    /// The units of positions and speeds.
    var units = DisplayUnits()

    /// Returns the name of a position, if known.
    var placeName: (Location) -> String? = { _ in nil }

    private var update: SubscribeReply?
    private var arrived = Instant.zero
    /// The last known position, which may be older than the last update.
    private var location: Location?
    private var locationArrived = Instant.zero
    private var place: String?
    private var receivers: [Receiver] = []
    private var heading: Heading?
    /// What happens until the first position; nil before the first event.
    private var progress: FixProgress?
    /// Why the daemon sends nothing, and when the next attempt to connect is, unless it hangs.
    private var connectionLoss: (error: CommandError, retry: Instant?)?

    init(
        configuration: Configuration, units: DisplayUnits = DisplayUnits(),
        placeName: @escaping (Location) -> String? = { _ in nil }
    ) {
        self.configuration = configuration
        self.units = units
        self.placeName = placeName
    }

    mutating func update(with event: DaemonFeed.Event, at now: Instant) {
        if progress == nil { progress = FixProgress(at: now) }
        switch event {
        case .connected, .replied: connectionLoss = nil
        case .hung(let error): connectionLoss = (error, nil)
        case .disconnected(let error, let retry):
            (connectionLoss, receivers) = ((error, retry), [])
            heading = nil
        case .receivers(let list):
            receivers = list
            progress?.update(list, at: now)
        case .heading(let reply): heading = reply.heading
        case .visit, .beacons, .agent, .sentences: break
        case .update(let reply):
            (update, arrived) = (reply, now)
            // What a program may not know any more is not shown as last known either.
            let isLimited = reply.permission.contains(.accuracyLimited) && location?.isReduced != true
            if isDenied || isLimited { location = nil }
            if let new = reply.location, reply.locationUnavailable != true {
                (location, locationArrived) = (new, now)
                progress?.recordFix(at: now)
            }
            place = location.flatMap(placeName)
        case .monitor: break
        }
    }

    var closingLine: String? { location.map { PositionLine.text($0, units: units) } }

    func draw(_ size: TerminalSize, at now: Instant) -> Canvas {
        var canvas = Canvas(width: size.columns, height: size.rows)
        let layout = WatchLayout(size)
        title(on: &canvas)
        rule("", on: &canvas, row: 1)
        position(at: now).draw(on: &canvas, in: layout.position)
        compass(at: now, on: &canvas, in: layout.compass)
        rule(satelliteHeading, on: &canvas, row: layout.satellites.row - 1)
        if layout.satellites.height > 0 {
            SatellitePanel(satellites: satellites).draw(on: &canvas, in: layout.satellites)
        }
        if layout.receiver.height > 0 {
            rule("Receiver", on: &canvas, row: layout.receiver.row - 1)
            ReceiverPanel(receiver: receiver, others: receivers.filter { $0.name != receiver?.name }).draw(
                on: &canvas, in: layout.receiver)
        }
        footer(at: now, on: &canvas, row: size.rows - 1)
        return canvas
    }

    /// Whether the shown position is current.
    private var isCurrent: Bool {
        connectionLoss == nil && update?.location != nil && update?.locationUnavailable != true
    }

    /// Whether the program may not know the location.
    private var isDenied: Bool { update.map { !$0.permission.isDisjoint(with: .blocking) } ?? false }

    private var receiver: Receiver? {
        receivers.first { $0.name == location?.receiver } ?? receivers.first(where: \.isPrimary) ?? receivers.first
    }

    private var satellites: [Satellite] { receiver.map { Satellite.merge($0.satellites) } ?? [] }

    private var satelliteHeading: String {
        let satellites = satellites
        guard !satellites.isEmpty else { return "Satellites" }
        return "Satellites  \(satellites.count(where: \.used)) used of \(satellites.count) in view"
    }

    private func title(on canvas: inout Canvas) {
        canvas.put(" ◆ SEXTANT", column: 0, row: 0, style: .heading)
        if let place { canvas.put(place, column: 13, row: 0, style: .dim, limit: max(13, canvas.width - 28)) }
        // Without a fix the receiver may still know the time.
        let times = [location?.timestamp, receiver?.lastEpoch]
        let time = (isCurrent ? times : times.reversed()).compactMap { $0 }.first
        canvas.put(
            time.map(TimeText.moment) ?? "time unknown", before: canvas.width - 1, row: 0,
            style: isCurrent ? .bold : .dim)
    }

    private func rule(_ text: String, on canvas: inout Canvas, row: Int) {
        canvas.put(String(repeating: "─", count: canvas.width), column: 0, row: row, style: .dim)
        if !text.isEmpty { canvas.put(" \(text) ", column: 2, row: row, style: .heading) }
    }

    private func position(at now: Instant) -> PositionPanel {
        var panel = PositionPanel(units: units)
        panel.location = location
        panel.age = max(0, (now - locationArrived).seconds)
        panel.isCurrent = isCurrent
        panel.isStationary = update?.stationary == true
        panel.restingSince = update?.restingSince
        // A course is shown with the position.
        panel.heading = heading?.source == .course ? nil : heading
        panel.limitation =
            update?.permission.contains(.accuracyLimited) == true ? update?.detail.map(ProgramFormatter.sentence) : nil
        if let progress, !progress.hasFix { panel.steps = progress.steps.map(\.line.displayText) }
        if connectionLoss != nil {
            panel.problem = .init(
                headline: "Daemon unavailable", detail: connectionLoss?.error.description ?? "", needsAction: true)
        } else if let update, isDenied {
            panel.problem = .init(
                headline: update.permission.headline, detail: update.detail.map(ProgramFormatter.sentence) ?? "",
                needsAction: true)
        } else if let update, update.locationUnavailable == true {
            let needsAction = update.cause != .noFix && update.cause != .starting
            let detail = update.detail ?? ""
            panel.problem = .init(
                headline: update.cause?.displayText ?? "No position", detail: detail, needsAction: needsAction)
        } else if location == nil {
            panel.problem = .init(
                headline: "Waiting for the first update", detail: update?.detail ?? "", needsAction: false)
        }
        return panel
    }

    private func compass(at now: Instant, on canvas: inout Canvas, in area: Area) {
        guard area.width > 0 else { return }
        let rose = Area(column: area.column, row: area.row, width: area.width, height: area.height - 1)
        CompassRose(course: location?.course, isFaded: !isCurrent).draw(on: &canvas, in: rose)
        var text = "course unknown"
        if let course = location?.course {
            text =
                "\(DecimalText.text(course, decimals: 0))° \(AngleText.compassPoint(course))"
                + (location?.courseAccuracy.map { " ±\(DecimalText.text($0, decimals: 0))°" } ?? "")
        }
        canvas.put(
            text, around: area.column + area.width / 2, row: area.endRow - 1,
            style: location?.course == nil || !isCurrent ? .dim : .bold)
    }

    private func footer(at now: Instant, on canvas: inout Canvas, row: Int) {
        canvas.put(String(repeating: " ", count: canvas.width), column: 0, row: row)
        if let connectionLoss {
            let wait = connectionLoss.retry.map { TimeText.span((max($0 - now, .zero)).seconds) }
            let text =
                wait.map { "sextantd is unavailable; next attempt in \($0)" }
                ?? "sextantd does not reply; waiting until it replies"
            let style = Style(colour: .yellow, isReversed: true)
            canvas.put(
                DisplayWidth.fit(" \(text). q quits.", to: canvas.width),
                column: 0,
                row: row, style: style)
            return
        }
        let fix = progress?.firstFix.map { " · first fix after \(TimeText.span($0.seconds))" } ?? ""
        let end = canvas.put(" q quits · \(configuration.rawValue)\(fix)", column: 0, row: row, style: .dim)
        guard let update else { return }
        let counts = "update \(DecimalText.grouped(update.sequence)) · \(DecimalText.grouped(update.dropped)) dropped"
        // A narrow terminal has no space for both.
        guard end + counts.count + 2 <= canvas.width else { return }
        canvas.put(counts, before: canvas.width - 1, row: row, style: .dim)
    }
}

/// The layout of the live view for a terminal size, designed for 80x24. A larger terminal gives
/// more space to the satellites; a smaller one omits the compass, then the lower parts.
struct WatchLayout: Equatable {
    let position: Area
    let compass: Area
    let satellites: Area
    let receiver: Area

    init(_ size: TerminalSize) {
        let top = size.rows >= 32 ? 12 : 10
        let preferredReceiverRows = 3
        // Subtracts the title and its rule, the rules above satellites and receiver, and the
        // footer.
        let rest = size.rows - 2 - top - 1 - 1 - 1
        let receiverRows = max(0, min(preferredReceiverRows, rest))
        let satelliteRows = max(0, rest - receiverRows)
        let compassWidth = size.columns >= 72 ? (top - 1) * 2 : 0
        let compassColumn = size.columns - compassWidth - 3
        position = Area(column: 2, row: 2, width: compassWidth > 0 ? compassColumn - 4 : size.columns - 4, height: top)
        compass = Area(column: compassColumn, row: 2, width: compassWidth, height: top)
        satellites = Area(column: 2, row: 2 + top + 1, width: size.columns - 4, height: satelliteRows)
        receiver = Area(column: 2, row: satellites.endRow + 1, width: size.columns - 4, height: receiverRows)
    }
}

/// The satellites: a table by constellation and, if space permits, the signal bars and the sky
/// plot.
struct SatellitePanel {
    var satellites: [Satellite]

    func draw(on canvas: inout Canvas, in area: Area) {
        guard !satellites.isEmpty else {
            canvas.put("none in view", column: area.column, row: area.row, style: .dim, limit: area.endColumn)
            return
        }
        let table = ConstellationTable(satellites: satellites)
        let plotWidth = min(area.height * 2, area.width - 34)
        guard area.height >= 10, plotWidth >= 20 else { return table.draw(on: &canvas, in: area) }

        // The plot takes the right side of the area, beside the lists.
        let plot = Area(column: area.endColumn - plotWidth, row: area.row, width: plotWidth, height: area.height)
        SkyPlot(satellites: satellites).draw(on: &canvas, in: plot)
        let left = Area(column: area.column, row: area.row, width: area.width - plotWidth - 3, height: area.height)
        let list = Area(
            column: left.column, row: left.row,
            width: satellites.count > left.height ? left.width : min(left.width, 48),
            height: left.height)
        table.draw(
            on: &canvas, in: Area(column: list.column, row: list.row, width: list.width, height: table.systems.count))
        let used = table.systems.count + 1
        bars(
            on: &canvas,
            in: Area(column: list.column, row: list.row + used, width: list.width, height: list.height - used))
    }

    /// Draws the bars, in two columns if they fit.
    private func bars(on canvas: inout Canvas, in area: Area) {
        let ranked = Satellite.ranked(satellites)
        guard area.width >= 60, ranked.count > area.height else {
            return SignalChart(satellites: ranked).draw(on: &canvas, in: area)
        }
        var half = area
        half.width = area.width / 2 - 2
        SignalChart(satellites: Array(ranked.prefix(area.height))).draw(on: &canvas, in: half)
        half.column = area.endColumn - half.width
        SignalChart(satellites: Array(ranked.dropFirst(area.height))).draw(on: &canvas, in: half)
    }
}

/// The receiver that provides the position.
struct ReceiverPanel {
    var receiver: Receiver?
    var others: [Receiver]

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

    private func identity(_ receiver: Receiver) -> String {
        let parts = [
            receiver.product, receiver.port, receiver.baud.map { "\($0) baud" },
            ReceiverFormatter.rate(receiver),
        ]
        return parts.compactMap { $0 }.joined(separator: " · ")
    }

    private func footnote(_ receiver: Receiver) -> String {
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
