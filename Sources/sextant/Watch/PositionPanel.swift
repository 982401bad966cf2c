import Wire

/// Where the device is, how well that is known, and how it moves; or why that is not known.
struct PositionPanel {
    /// Why there is no position now.
    struct Trouble {
        var headline: String
        var detail: String
        /// Whether somebody has to do something.
        var isGrave: Bool
    }

    var speedUnit: SpeedUnit
    var location: LocationMessage?
    /// Seconds since it came.
    var age = 0.0
    var isCurrent = true
    var isStationary = false
    /// Since when, where that is known.
    var restingSince: String?
    var trouble: Trouble?

    private static let labelWidth = 10

    func draw(on canvas: inout Canvas, in area: Area) {
        if let trouble {
            draw(trouble, on: &canvas, in: area)
        } else if let location {
            draw(location, on: &canvas, in: area)
        }
    }

    private func draw(_ trouble: Trouble, on canvas: inout Canvas, in area: Area) {
        let style = trouble.isGrave ? Style.bad : Style.warning
        canvas.put(trouble.headline, area.column, area.row, Style(colour: style.colour, isBold: true), limit: area.endColumn)
        var row = area.row + 2
        for line in Columns.wrap(trouble.detail, to: area.width).prefix(4) {
            canvas.put(line, area.column, row, limit: area.endColumn)
            row += 1
        }
        guard let location else { return }
        canvas.put("Last known, \(TimeText.span(age)) ago:", area.column, row + 1, .dim, limit: area.endColumn)
        coordinates(location, on: &canvas, in: area, row: row + 2, style: .dim)
        canvas.put("±\(LengthText.metres(location.horizontalAccuracy)) then", area.column, row + 4, .dim, limit: area.endColumn)
    }

    private func draw(_ location: LocationMessage, on canvas: inout Canvas, in area: Area) {
        coordinates(location, on: &canvas, in: area, row: area.row, style: isCurrent ? .bold : .dim)
        var row = area.row + 3
        accuracy(location, on: &canvas, in: area, row: &row)
        line("Altitude", altitude(location), on: &canvas, in: area, row: &row)
        line("Speed", speed(location), on: &canvas, in: area, row: &row)
        line("Fix", [fix(location), TimeText.span(age) + " old"].joined(separator: " · "), on: &canvas, in: area, row: &row)
        if let north = MagneticNorth(location) {
            let course = north.courseWords.map { "course " + $0 }
            line("Compass", [north.words, course].compactMap { $0 }.joined(separator: " · "), on: &canvas, in: area, row: &row)
        }
        if area.height > 10 { line("Receiver", Columns.harmless(location.receiver), on: &canvas, in: area, row: &row) }
    }

    private func coordinates(_ location: LocationMessage, on canvas: inout Canvas, in area: Area, row: Int, style: Style) {
        let decimals = AngleText.decimals(accuracy: location.horizontalAccuracy)
        let next = canvas.put(
            AngleText.latitude(location.latitude, decimals: decimals) + "   ", area.column, row, style, limit: area.endColumn)
        canvas.put(AngleText.longitude(location.longitude, decimals: decimals), next, row, style, limit: area.endColumn)
        let sexagesimal = [AngleText.sexagesimalLatitude(location.latitude), AngleText.sexagesimalLongitude(location.longitude)]
        canvas.put(sexagesimal.joined(separator: "   "), area.column, row + 1, .dim, limit: area.endColumn)
    }

    private func accuracy(_ location: LocationMessage, on canvas: inout Canvas, in area: Area, row: inout Int) {
        let column = area.column + PositionPanel.labelWidth
        let radius = location.horizontalAccuracy
        canvas.put("Accuracy", area.column, row, .dim, limit: area.endColumn)
        let style = Style(colour: AccuracyScale.colour(radius), isBold: true)
        let next = canvas.put("±\(LengthText.metres(radius))", column, row, style, limit: area.endColumn)
        canvas.put("  as large as \(LengthText.likeness(ofRadius: radius))", next, row, limit: area.endColumn)
        AccuracyScale(radius: radius).draw(on: &canvas, column, row + 1, width: min(40, area.endColumn - column))
        canvas.put(location.accuracySource.words, column, row + 2, .dim, limit: area.endColumn)
        row += 3
    }

    private func line(_ label: String, _ text: String, on canvas: inout Canvas, in area: Area, row: inout Int) {
        defer { row += 1 }
        guard row < area.endRow else { return }
        canvas.put(label, area.column, row, .dim, limit: area.endColumn)
        canvas.put(text, area.column + PositionPanel.labelWidth, row, limit: area.endColumn)
    }

    private func altitude(_ location: LocationMessage) -> String {
        guard let altitude = location.altitude else { return "unknown" }
        let uncertainty = location.verticalAccuracy.map { " ±\(LengthText.metres($0))" } ?? ""
        let ellipsoidal = location.ellipsoidalAltitude.map { " (\(Fixed.text($0, 1)) m ellipsoidal)" } ?? ""
        return Fixed.text(altitude, 1) + " m" + uncertainty + ellipsoidal
    }

    private func speed(_ location: LocationMessage) -> String {
        if isStationary { return PositionLine.rest(since: restingSince) }
        guard let speed = location.speed else { return "unknown" }
        let uncertainty = location.speedAccuracy.map { " ±\(speedUnit.text($0))" } ?? ""
        return speedUnit.text(speed) + uncertainty
    }

    private func fix(_ location: LocationMessage) -> String {
        "\(location.mode.words), \(location.quality.words)"
    }
}
