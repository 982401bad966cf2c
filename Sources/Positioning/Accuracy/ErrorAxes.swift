/// Standard deviations along two axes at right angles, and what radius holds 68 % of such errors.
struct ErrorAxes {
    var north: Double
    var east: Double

    /// Nil unless both are stated and can be errors.
    init?(_ north: Double?, _ east: Double?) {
        guard let north, let east, north >= 0, east >= 0 else { return nil }
        (self.north, self.east) = (north, east)
    }

    /// Metres; root of the summed squares.
    var rootMeanSquare: Double { (north * north + east * east).squareRoot() }

    /// Metres; the correlation of the axes is not known, so their true ellipse may be longer than it looks.
    var r68: Double { rootMeanSquare * AccuracyConstants.rootMeanSquareToR68 }

    /// Metres; the axes are those of the error ellipse itself, so its shape is known.
    var r68OfEllipse: Double {
        let longer = max(north, east)
        guard longer > 0 else { return 0 }
        let table = AccuracyConstants.ellipseToR68
        let at = min(north, east) / longer * Double(table.count - 1)
        let below = min(Int(at), table.count - 2)
        return rootMeanSquare * (table[below] + (table[below + 1] - table[below]) * (at - Double(below)))
    }
}
