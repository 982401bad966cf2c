import Chronology
import Delivery
import Locator
import Wire

/// The live view: what is known, and how it is laid out.
struct WatchPicture: LivePicture {
    /// What was subscribed to.
    var configuration: LiveConfiguration
    /// Unit of speeds.
    var speedUnit = SpeedUnit.kmh

    private var update: SubscribeReply?
    private var arrived = Instant.zero
    /// The last position, which may be older than the last update.
    private var location: LocationMessage?
    private var locationArrived = Instant.zero
    private var receivers: [ReceiverMessage] = []
    private var lost: (error: CommandError, retry: Instant)?

    init(configuration: LiveConfiguration, speedUnit: SpeedUnit = .kmh) {
        self.configuration = configuration
        self.speedUnit = speedUnit
    }

    mutating func take(_ event: DaemonFeed.Event, at now: Instant) {
        switch event {
        case .connected: lost = nil
        case .lost(let error, let retry): (lost, receivers) = ((error, retry), [])
        case .receivers(let list): receivers = list
        case .visit: break
        case .update(let reply):
            (update, arrived) = (reply, now)
            if let new = reply.location, reply.locationUnavailable != true { (location, locationArrived) = (new, now) }
        case .monitor: break
        }
    }

    var farewell: String? { location.map { PositionLine.text($0, speedUnit) } }

    func draw(_ size: TerminalSize, at now: Instant) -> Canvas {
        var canvas = Canvas(width: size.columns, height: size.rows)
        let layout = WatchLayout(size)
        title(on: &canvas)
        rule("", on: &canvas, 1)
        position(at: now).draw(on: &canvas, in: layout.position)
        compass(at: now, on: &canvas, in: layout.compass)
        rule(satelliteHeading, on: &canvas, layout.satellites.row - 1)
        if layout.satellites.height > 0 { SatellitePanel(objects: objects).draw(on: &canvas, in: layout.satellites) }
        if layout.receiver.height > 0 {
            rule("Receiver", on: &canvas, layout.receiver.row - 1)
            ReceiverPanel(receiver: receiver, others: receivers.filter { $0.name != receiver?.name }).draw(on: &canvas, in: layout.receiver)
        }
        footer(at: now, on: &canvas, size.rows - 1)
        return canvas
    }

    /// Whether the position shown is the present one.
    private var isCurrent: Bool { lost == nil && update?.location != nil && update?.locationUnavailable != true }

    private var receiver: ReceiverMessage? {
        receivers.first { $0.name == location?.receiver } ?? receivers.first(where: \.isChosen) ?? receivers.first
    }

    private var objects: [SkyObject] { receiver.map { SkyObject.merge($0.satellites) } ?? [] }

    private var satelliteHeading: String {
        let objects = objects
        guard !objects.isEmpty else { return "Satellites" }
        return "Satellites  \(objects.count(where: \.used)) used of \(objects.count) in view"
    }

    private func title(on canvas: inout Canvas) {
        canvas.put(" ◆ SEXTANT", 0, 0, .heading)
        // Without a fix the receiver may still know the time.
        let times = [location?.timestamp, receiver?.lastEpoch]
        let time = (isCurrent ? times : times.reversed()).compactMap { $0 }.first
        canvas.put(time.map(TimeText.moment) ?? "time unknown", before: canvas.width - 1, 0, isCurrent ? .bold : .dim)
    }

    private func rule(_ text: String, on canvas: inout Canvas, _ row: Int) {
        canvas.put(String(repeating: "─", count: canvas.width), 0, row, .dim)
        if !text.isEmpty { canvas.put(" \(text) ", 2, row, .heading) }
    }

    private func position(at now: Instant) -> PositionPanel {
        var panel = PositionPanel(speedUnit: speedUnit)
        panel.location = location
        panel.age = max(0, (now - locationArrived).seconds)
        panel.isCurrent = isCurrent
        panel.isStationary = update?.stationary == true
        panel.restingSince = update?.restingSince
        if lost != nil {
            panel.trouble = .init(headline: "The daemon is away", detail: lost?.error.description ?? "", isGrave: true)
        } else if let update, update.locationUnavailable == true {
            let isGrave = update.cause != .noFix && update.cause != .starting
            let detail = Columns.harmless(update.detail ?? "")
            panel.trouble = .init(headline: update.cause?.headline ?? "No position", detail: detail, isGrave: isGrave)
        } else if location == nil {
            panel.trouble = .init(headline: "Waiting for the first update", detail: "", isGrave: false)
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
                "\(Fixed.text(course, 0))° \(AngleText.wind(course))" + (location?.courseAccuracy.map { " ±\(Fixed.text($0, 0))°" } ?? "")
        }
        canvas.put(text, around: area.column + area.width / 2, area.endRow - 1, location?.course == nil || !isCurrent ? .dim : .bold)
    }

    private func footer(at now: Instant, on canvas: inout Canvas, _ row: Int) {
        canvas.put(String(repeating: " ", count: canvas.width), 0, row)
        if let lost {
            let wait = TimeText.span((max(lost.retry - now, .zero)).seconds)
            let style = Style(colour: .yellow, isReversed: true)
            canvas.put(Columns.fit(" sextantd is away; trying again in \(wait). q quits.", to: canvas.width), 0, row, style)
            return
        }
        canvas.put(" q quits · \(configuration.rawValue)", 0, row, .dim)
        guard let update else { return }
        canvas.put(
            "update \(Fixed.grouped(update.sequence)) · \(Fixed.grouped(update.dropped)) dropped", before: canvas.width - 1, row, .dim)
    }
}
