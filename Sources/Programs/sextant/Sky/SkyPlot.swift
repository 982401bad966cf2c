import Glibc
import SextantAPI

/// A sky plot: the zenith in the center, the horizon at the edge, north up and east right, as on a
/// map.
struct SkyPlot {
    var satellites: [Satellite]

    func draw(on canvas: inout Canvas, in area: Area) {
        let rows = min(area.height, area.width / 2)
        guard rows >= 7 else { return }
        let disc = Disc(column: area.column + (area.width - rows * 2) / 2, row: area.row, rows: rows)
        drawRings(on: &canvas, in: disc)
        var labels = LabelSpace(Area(column: area.column, row: disc.row, width: area.width, height: rows))
        drawLetters(on: &canvas, in: disc, labels: &labels)
        // The strongest satellites first, so that their labels are at their exact place.
        for satellite in Satellite.ranked(satellites) {
            putLabel(of: satellite, on: &canvas, in: disc, labels: &labels)
        }
    }

    private struct Disc {
        let column: Int
        let row: Int
        let rows: Int
        var center: Double { Double(rows) * 2 - 0.5 }
        var radius: Double { Double(rows) * 2 - 1 }
    }

    /// Draws rings for the horizon, 30 and 60 degrees, and a north-south and east-west cross.
    private func drawRings(on canvas: inout Canvas, in disc: Disc) {
        var dots = BrailleBitmap(columns: disc.rows * 2, rows: disc.rows)
        dots.drawCircle(x: disc.center, y: disc.center, radius: disc.radius)
        dots.drawCircle(x: disc.center, y: disc.center, radius: disc.radius * 2 / 3, gap: 4)
        dots.drawCircle(x: disc.center, y: disc.center, radius: disc.radius / 3, gap: 4)
        for step in stride(from: 0, to: disc.radius, by: 6) {
            for (x, y) in [(step, 0), (-step, 0), (0, step), (0, -step)] {
                dots.setDot(x: Int((disc.center + x).rounded()), y: Int((disc.center + y).rounded()))
            }
        }
        dots.draw(on: &canvas, column: disc.column, row: disc.row, style: .dim)
    }

    private func drawLetters(on canvas: inout Canvas, in disc: Disc, labels: inout LabelSpace) {
        let (middle, last) = (disc.column + disc.rows, disc.row + disc.rows - 1)
        let north = Style(colour: .red, isBold: true)
        labels.put("N", column: middle, row: disc.row, style: north, on: &canvas)
        labels.put("S", column: middle, row: last, style: .heading, on: &canvas)
        labels.put("W", column: disc.column, row: disc.row + disc.rows / 2, style: .heading, on: &canvas)
        labels.put("E", column: middle + disc.rows - 1, row: disc.row + disc.rows / 2, style: .heading, on: &canvas)
        for elevation in [30, 60] {
            let y = disc.center - disc.radius * Double(90 - elevation) / 90
            labels.put("\(elevation)°", column: middle + 1, row: disc.row + Int(y / 4), style: .dim, on: &canvas)
        }
    }

    private func putLabel(
        of satellite: Satellite, on canvas: inout Canvas, in disc: Disc, labels: inout LabelSpace
    ) {
        guard let elevation = satellite.elevation, let azimuth = satellite.azimuth, elevation >= 0 else { return }
        let distance = disc.radius * Double(90 - min(elevation, 90)) / 90
        let angle = Double(azimuth) * .pi / 180
        let x = Int((disc.center + distance * sin(angle)) / 2)
        let y = Int((disc.center - distance * cos(angle)) / 4)
        labels.put(
            satellite.label, around: disc.column + x, row: disc.row + y, style: SignalStrength.style(satellite),
            on: &canvas)
    }
}

/// A bar for each satellite, strongest first: "G12 ━━━━━━━━━━ 45 ●".
struct SignalChart {
    var satellites: [Satellite]

    /// Draws as many bars as there are rows and the number of omitted ones.
    func draw(on canvas: inout Canvas, in area: Area) {
        let ranked = Satellite.ranked(satellites)
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

    private func draw(_ satellite: Satellite, on canvas: inout Canvas, in area: Area, row: Int) {
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

    static func style(_ satellite: Satellite) -> Style {
        Style(colour: colour(satellite.carrierToNoise), isBold: satellite.used, isDim: !satellite.used)
    }
}
