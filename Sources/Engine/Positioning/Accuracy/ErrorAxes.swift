/// Standard deviations along two perpendicular axes, and the radius that contains 68 % of such
/// errors.
struct ErrorAxes {
    var north: Double
    var east: Double

    /// Creates the axes. Returns nil unless both values are reported and valid as errors.
    init?(north: Double?, east: Double?) {
        guard let north, let east, north >= 0, east >= 0 else { return nil }
        (self.north, self.east) = (north, east)
    }

    /// The root of the summed squares, in metres.
    var rootMeanSquare: Double { (north * north + east * east).squareRoot() }

    /// R68 in metres if the correlation of the axes is unknown. The true ellipse may be longer than
    /// the axes indicate.
    var r68: Double { rootMeanSquare * AccuracyConstants.rootMeanSquareToR68 }

    /// R68 in metres if the axes are those of the error ellipse itself, so that its shape is known.
    var r68OfEllipse: Double {
        let longer = max(north, east)
        guard longer > 0 else { return 0 }
        let table = AccuracyConstants.ellipseToR68
        let index = min(north, east) / longer * Double(table.count - 1)
        let below = min(Int(index), table.count - 2)
        return rootMeanSquare * (table[below] + (table[below + 1] - table[below]) * (index - Double(below)))
    }
}
