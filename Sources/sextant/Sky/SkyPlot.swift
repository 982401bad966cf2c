import Glibc

/// The sky from below: the zenith in the middle, the horizon outside, north up and east to the right, as on a map.
struct SkyPlot {
    var objects: [SkyObject]

    /// Draws it as large as a circle fits into the area.
    func draw(on canvas: inout Canvas, in area: Area) {
        let rows = min(area.height, area.width / 2)
        guard rows >= 7 else { return }
        let disc = Disc(column: area.column + (area.width - rows * 2) / 2, row: area.row, rows: rows)
        rings(on: &canvas, disc)
        letters(on: &canvas, disc)
        // The strongest first: they get their own place.
        var taken: [(row: Int, columns: Range<Int>)] = []
        for object in SkyObject.ranked(objects) { place(object, on: &canvas, disc, &taken, within: area) }
    }

    private struct Disc {
        let column: Int
        let row: Int
        let rows: Int
        var middle: Double { Double(rows) * 2 - 0.5 }
        var radius: Double { Double(rows) * 2 - 1 }
    }

    /// Horizon, 30 and 60 degrees, and a cross from north to south and east to west.
    private func rings(on canvas: inout Canvas, _ disc: Disc) {
        var dots = DotField(columns: disc.rows * 2, rows: disc.rows)
        dots.circle(disc.middle, disc.middle, radius: disc.radius)
        dots.circle(disc.middle, disc.middle, radius: disc.radius * 2 / 3, gap: 4)
        dots.circle(disc.middle, disc.middle, radius: disc.radius / 3, gap: 4)
        for step in stride(from: 0, to: disc.radius, by: 6) {
            for (x, y) in [(step, 0), (-step, 0), (0, step), (0, -step)] {
                dots.dot(Int((disc.middle + x).rounded()), Int((disc.middle + y).rounded()))
            }
        }
        dots.draw(on: &canvas, disc.column, disc.row, .dim)
    }

    private func letters(on canvas: inout Canvas, _ disc: Disc) {
        canvas.put("N", disc.column + disc.rows, disc.row, Style(colour: .red, isBold: true))
        canvas.put("S", disc.column + disc.rows, disc.row + disc.rows - 1, .heading)
        canvas.put("W", disc.column, disc.row + disc.rows / 2, .heading)
        canvas.put("E", disc.column + disc.rows * 2 - 1, disc.row + disc.rows / 2, .heading)
        for elevation in [30, 60] {
            let y = disc.middle - disc.radius * Double(90 - elevation) / 90
            canvas.put("\(elevation)°", disc.column + disc.rows + 1, disc.row + Int(y / 4), .dim)
        }
    }

    /// The label goes where the satellite is, or beside it where another is there already; a crowd may leave none.
    private func place(
        _ object: SkyObject, on canvas: inout Canvas, _ disc: Disc, _ taken: inout [(row: Int, columns: Range<Int>)], within area: Area
    ) {
        guard let elevation = object.elevation, let azimuth = object.azimuth, elevation >= 0 else { return }
        let distance = disc.radius * Double(90 - min(elevation, 90)) / 90
        let angle = Double(azimuth) * .pi / 180
        let x = Int((disc.middle + distance * sin(angle)) / 2)
        let y = Int((disc.middle - distance * cos(angle)) / 4)
        let width = object.label.count
        for (shift, lift) in [(0, 0), (0, -1), (0, 1), (width + 1, 0), (-width - 1, 0), (width, 1), (-width, -1)] {
            let row = disc.row + y + lift
            let start = min(max(disc.column + x - width / 2 + shift, area.column), area.endColumn - width)
            let columns = start..<start + width
            // One blank between two, or they read as one.
            let isFree = !taken.contains { $0.row == row && $0.columns.overlaps(start - 1..<start + width + 1) }
            guard isFree, row >= disc.row, row < disc.row + disc.rows else { continue }
            canvas.put(object.label, start, row, SignalStrength.style(object))
            taken.append((row, columns))
            return
        }
    }
}
