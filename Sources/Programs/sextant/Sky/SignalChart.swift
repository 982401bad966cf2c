/// A bar for each satellite, strongest first: "G12 ━━━━━━━━━━ 45 ●".
struct SignalChart {
    var satellites: [SkySatellite]

    /// Draws as many bars as there are rows and the number of omitted ones.
    func draw(on canvas: inout Canvas, in area: Area) {
        let ranked = SkySatellite.ranked(satellites)
        let fitting = ranked.count <= area.height ? ranked.count : max(0, area.height - 1)
        for (index, satellite) in ranked.prefix(fitting).enumerated() {
            draw(satellite, on: &canvas, in: area, row: area.row + index)
        }
        if fitting < ranked.count {
            canvas.put(
                "and \(ranked.count - fitting) more", column: area.column, row: area.row + fitting, style: .dim,
                limit: area.endColumn)
        }
    }

    private func draw(_ satellite: SkySatellite, on canvas: inout Canvas, in area: Area, row: Int) {
        let style = SignalStrength.style(satellite)
        canvas.put(
            satellite.label, column: area.column, row: row, style: satellite.used ? .bold : .dim, limit: area.endColumn)
        let barWidth = area.width - 10
        guard barWidth >= 4 else { return }
        if let strength = satellite.carrierToNoise {
            let length = max(1, Int((SignalStrength.share(strength) * Double(barWidth)).rounded()))
            canvas.put(String(repeating: "━", count: length), column: area.column + 5, row: row, style: style)
            canvas.put("\(strength)", before: area.endColumn - 2, row: row, style: style)
        } else {
            canvas.put("not tracked", column: area.column + 5, row: row, style: .dim, limit: area.endColumn - 2)
        }
        canvas.put(
            satellite.used ? "●" : "○", column: area.endColumn - 1, row: row, style: satellite.used ? .good : .dim)
    }
}

/// The presentation of signal strengths.
enum SignalStrength {
    /// The range of a bar in dB-Hz, from about the weakest signal that receivers track to the
    /// strongest under an open sky.
    static let range = 10.0...50.0

    /// Returns the filled share of a bar, 0 ... 1.
    static func share(_ carrierToNoise: Int) -> Double {
        (min(max(Double(carrierToNoise), range.lowerBound), range.upperBound) - range.lowerBound)
            / (range.upperBound - range.lowerBound)
    }

    /// Returns red for the weakest signals up to bright green for 40 dB-Hz and more.
    static func colour(_ carrierToNoise: Int?) -> Style.Colour? {
        guard let carrierToNoise else { return nil }
        return carrierToNoise < 20 ? .red : carrierToNoise < 30 ? .yellow : carrierToNoise < 40 ? .green : .brightGreen
    }

    /// Returns the blocks of a vertical bar, top first. A satellite without signal has a dot at the
    /// bottom.
    static func blocks(_ carrierToNoise: Int?, rows: Int) -> [String] {
        let blocks = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        let rows = max(1, rows)
        guard let carrierToNoise else { return Array(repeating: " ", count: rows - 1) + ["·"] }
        let filled = max(1, Int((share(carrierToNoise) * Double(8 * rows)).rounded()))
        return (0..<rows).reversed().map { blocks[min(8, max(0, filled - $0 * 8))] }
    }

    /// Returns the style of a satellite.
    static func style(_ satellite: SkySatellite) -> Style {
        Style(colour: colour(satellite.carrierToNoise), isBold: satellite.used, isDim: !satellite.used)
    }
}
