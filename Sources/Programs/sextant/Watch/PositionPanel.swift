import Chronology
import Glibc
import SextantAPI

/// The position, its accuracy and the motion of the device, or the reason why they are unknown.
struct PositionPanel {
    /// The reason why there is no current position.
    struct Problem {
        var headline: String
        var detail: String
        /// Whether the user has to act.
        var needsAction: Bool
    }

    var units: DisplayUnits
    var location: Location?
    /// The age of the position in seconds.
    var age = 0.0
    var isCurrent = true
    var isStationary = false
    /// When the device became stationary, if known.
    var restingSince: UTCTime?
    /// The heading of a compass or of two antennas, if known.
    var heading: Heading?
    var problem: Problem?
    /// What has happened until now, without a position.
    var steps: [String] = []
    /// Why the location is reduced, and how to change that.
    var limitation: String?

    private static let labelWidth = 10

    func draw(on canvas: inout Canvas, in area: Area) {
        if let problem {
            draw(problem, on: &canvas, in: area)
        } else if let location {
            draw(location, on: &canvas, in: area)
        }
    }

    private func draw(_ problem: Problem, on canvas: inout Canvas, in area: Area) {
        let style = problem.needsAction ? Style.bad : Style.warning
        canvas.put(
            problem.headline, column: area.column, row: area.row, style: Style(colour: style.colour, isBold: true),
            limit: area.endColumn)
        var row = area.row + 2
        for line in DisplayWidth.wrap(problem.detail, to: area.width).prefix(4) {
            canvas.put(line, column: area.column, row: row, limit: area.endColumn)
            row += 1
        }
        guard let location else { return drawSteps(on: &canvas, in: area, row: row + 1) }
        canvas.put(
            "Last known, \(TimeText.span(age)) ago:", column: area.column, row: row + 1, style: .dim,
            limit: area.endColumn)
        coordinates(location, on: &canvas, in: area, row: row + 2, style: .dim)
        canvas.put(
            "±\(LengthText.metres(location.horizontalAccuracy)) then", column: area.column, row: row + 4, style: .dim,
            limit: area.endColumn
        )
    }

    /// Draws the newest steps that fit.
    private func drawSteps(on canvas: inout Canvas, in area: Area, row: Int) {
        for (index, step) in steps.suffix(max(0, area.endRow - row)).enumerated() {
            canvas.put(step, column: area.column, row: row + index, style: .dim, limit: area.endColumn)
        }
    }

    private func draw(_ location: Location, on canvas: inout Canvas, in area: Area) {
        coordinates(location, on: &canvas, in: area, row: area.row, style: isCurrent ? .bold : .dim)
        var row = area.row + 3
        accuracy(location, on: &canvas, in: area, row: &row)
        if location.isReduced { return drawLimitation(of: location, on: &canvas, in: area, row: row) }
        drawLine("Altitude", text: altitude(location), on: &canvas, in: area, row: &row)
        drawLine("Speed", text: speed(location), on: &canvas, in: area, row: &row)
        drawLine(
            "Fix", text: [fix(location), TimeText.span(age) + " old"].joined(separator: " · "), on: &canvas, in: area,
            row: &row)
        if let heading {
            drawLine("Heading", text: HeadingLine.directions(heading), on: &canvas, in: area, row: &row)
        }
        if let north = MagneticNorth(location) {
            let course = north.courseText.map { "course " + $0 }
            drawLine(
                "Compass", text: [course, north.displayText].compactMap { $0 }.joined(separator: " · "), on: &canvas,
                in: area, row: &row)
        }
        if area.height > 10 {
            drawLine("Receiver", text: location.receiver, on: &canvas, in: area, row: &row)
        }
    }

    private func drawLimitation(of location: Location, on canvas: inout Canvas, in area: Area, row: Int) {
        var row = row
        drawLine("Age", text: TimeText.span(age), on: &canvas, in: area, row: &row)
        let text = limitation ?? "The program gets a reduced location."
        for line in DisplayWidth.wrap(text, to: area.width).prefix(max(0, area.endRow - row)) {
            canvas.put(line, column: area.column, row: row, style: .warning, limit: area.endColumn)
            row += 1
        }
    }

    private func coordinates(
        _ location: Location, on canvas: inout Canvas, in area: Area, row: Int, style: Style
    ) {
        let decimals = location.decimals
        let next = canvas.put(
            units.latitude(location.latitude, decimals: decimals) + "   ", column: area.column, row: row,
            style: style,
            limit: area.endColumn)
        canvas.put(
            units.longitude(location.longitude, decimals: decimals), column: next, row: row, style: style,
            limit: area.endColumn)
        // Seconds would be a false precision.
        if location.isReduced { return }
        let otherForm =
            units.hasMinutes
            ? [
                AngleText.latitude(location.latitude, decimals: decimals),
                AngleText.longitude(location.longitude, decimals: decimals),
            ]
            : [
                AngleText.sexagesimalLatitude(location.latitude), AngleText.sexagesimalLongitude(location.longitude),
            ]
        canvas.put(
            otherForm.joined(separator: "   "), column: area.column, row: row + 1, style: .dim, limit: area.endColumn)
    }

    private func accuracy(_ location: Location, on canvas: inout Canvas, in area: Area, row: inout Int) {
        let column = area.column + PositionPanel.labelWidth
        let radius = location.horizontalAccuracy
        canvas.put("Accuracy", column: area.column, row: row, style: .dim, limit: area.endColumn)
        let style = Style(colour: AccuracyScale.colour(radius), isBold: true)
        let next = canvas.put(
            "±\(LengthText.metres(radius))", column: column, row: row, style: style, limit: area.endColumn)
        canvas.put(
            "  about the size of \(LengthText.familiarObject(ofRadius: radius))", column: next, row: row,
            limit: area.endColumn)
        AccuracyScale(radius: radius).draw(
            on: &canvas, column: column, row: row + 1, width: min(40, area.endColumn - column))
        canvas.put(
            location.accuracySource.displayText, column: column, row: row + 2, style: .dim, limit: area.endColumn)
        row += 3
    }

    private func drawLine(_ label: String, text: String, on canvas: inout Canvas, in area: Area, row: inout Int) {
        defer { row += 1 }
        guard row < area.endRow else { return }
        canvas.put(label, column: area.column, row: row, style: .dim, limit: area.endColumn)
        canvas.put(text, column: area.column + PositionPanel.labelWidth, row: row, limit: area.endColumn)
    }

    private func altitude(_ location: Location) -> String {
        guard let altitude = location.altitude else { return "unknown" }
        let uncertainty = location.verticalAccuracy.map { " ±\(LengthText.metres($0))" } ?? ""
        let ellipsoidal =
            location.ellipsoidalAltitude.map { " (\(DecimalText.text($0, decimals: 1)) m ellipsoidal)" } ?? ""
        return DecimalText.text(altitude, decimals: 1) + " m" + uncertainty + ellipsoidal
    }

    private func speed(_ location: Location) -> String {
        if isStationary { return PositionLine.stationaryText(since: restingSince) }
        guard let speed = location.speed else { return "unknown" }
        let uncertainty = location.speedAccuracy.map { " ±\(units.speed.text($0))" } ?? ""
        let direction = location.course.map { " " + AngleText.compassPoint($0) } ?? ""
        return units.speed.text(speed) + direction + uncertainty
    }

    private func fix(_ location: Location) -> String {
        "\(location.mode.displayText), \(location.quality.displayText)"
            + (location.simulated == true ? ", simulated" : "")
    }
}

/// A radius on a logarithmic scale from a centimetre to a kilometre.
struct AccuracyScale {
    /// The radius in metres.
    var radius: Double

    /// Draws the scale in one row: "1 cm ├────●──────┤ 1 km".
    func draw(on canvas: inout Canvas, column: Int, row: Int, width: Int) {
        let line = width - 12
        guard line >= 6 else { return }
        var index = canvas.put("1 cm ", column: column, row: row, style: .dim)
        let start = index
        index = canvas.put("├" + String(repeating: "─", count: line - 2) + "┤", column: index, row: row, style: .dim)
        canvas.put(" 1 km", column: index, row: row, style: .dim)
        let share = (log10(max(radius, 1e-9)) + 2) / 5
        let place = start + Int((min(max(share, 0), 1) * Double(line - 1)).rounded())
        canvas.put("●", column: place, row: row, style: Style(colour: Self.colour(radius), isBold: true))
    }

    /// Returns bright green below 1 m, green below 10 m, yellow below 50 m, and red above, where a
    /// street cannot be identified.
    static func colour(_ radius: Double) -> Style.Colour {
        radius < 1 ? .brightGreen : radius < 10 ? .green : radius < 50 ? .yellow : .red
    }
}
