import Glibc

/// A sky plot: the zenith in the center, the horizon at the edge, north up and east right, as on a
/// map.
struct SkyPlot {
    var satellites: [SkySatellite]

    /// Draws the largest plot that fits into the area.
    func draw(on canvas: inout Canvas, in area: Area) {
        let rows = min(area.height, area.width / 2)
        guard rows >= 7 else { return }
        let disc = Disc(column: area.column + (area.width - rows * 2) / 2, row: area.row, rows: rows)
        drawRings(on: &canvas, in: disc)
        drawLetters(on: &canvas, in: disc)
        // The strongest satellites first, so that their labels are at their exact place.
        var occupied: [(row: Int, columns: Range<Int>)] = []
        for satellite in SkySatellite.ranked(satellites) {
            putLabel(of: satellite, on: &canvas, in: disc, avoiding: &occupied, within: area)
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

    private func drawLetters(on canvas: inout Canvas, in disc: Disc) {
        canvas.put("N", column: disc.column + disc.rows, row: disc.row, style: Style(colour: .red, isBold: true))
        canvas.put("S", column: disc.column + disc.rows, row: disc.row + disc.rows - 1, style: .heading)
        canvas.put("W", column: disc.column, row: disc.row + disc.rows / 2, style: .heading)
        canvas.put("E", column: disc.column + disc.rows * 2 - 1, row: disc.row + disc.rows / 2, style: .heading)
        for elevation in [30, 60] {
            let y = disc.center - disc.radius * Double(90 - elevation) / 90
            canvas.put("\(elevation)°", column: disc.column + disc.rows + 1, row: disc.row + Int(y / 4), style: .dim)
        }
    }

    /// Draws the label at the satellite's place, or beside it if that is occupied. Omits the label
    /// if there is no space.
    private func putLabel(
        of satellite: SkySatellite, on canvas: inout Canvas, in disc: Disc,
        avoiding occupied: inout [(row: Int, columns: Range<Int>)],
        within area: Area
    ) {
        guard let elevation = satellite.elevation, let azimuth = satellite.azimuth, elevation >= 0 else { return }
        let distance = disc.radius * Double(90 - min(elevation, 90)) / 90
        let angle = Double(azimuth) * .pi / 180
        let x = Int((disc.center + distance * sin(angle)) / 2)
        let y = Int((disc.center - distance * cos(angle)) / 4)
        let width = satellite.label.count
        for (columnShift, rowShift) in [
            (0, 0), (0, -1), (0, 1), (width + 1, 0), (-width - 1, 0), (width, 1), (-width, -1),
        ] {
            let row = disc.row + y + rowShift
            let start = min(max(disc.column + x - width / 2 + columnShift, area.column), area.endColumn - width)
            let columns = start..<start + width
            // Labels need one blank between them to be readable.
            let isFree = !occupied.contains { $0.row == row && $0.columns.overlaps(start - 1..<start + width + 1) }
            guard isFree, row >= disc.row, row < disc.row + disc.rows else { continue }
            canvas.put(satellite.label, column: start, row: row, style: SignalStrength.style(satellite))
            occupied.append((row, columns))
            return
        }
    }
}
