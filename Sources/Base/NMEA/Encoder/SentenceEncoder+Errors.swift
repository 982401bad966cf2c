extension SentenceEncoder {
    /// Writes GST: standard deviations of the position. The fields of the error ellipse stay empty,
    /// as on most receivers.
    ///
    /// - Parameter rangeError: The root mean square of the errors of the ranges in metres; nil if
    ///   it is not known.
    public mutating func gst(_ solution: NavigationSolution, rangeError: Double? = nil) {
        beginSentence("GST")
        appendTime(of: solution)
        writer.appendField(rangeError, places: 1)
        writer.appendEmptyFields(3)
        for error in [solution.latitudeError, solution.longitudeError, solution.altitudeError] {
            writer.appendField(error, places: errorDecimals)
        }
        writer.endSentence()
    }

    /// Writes GBS: expected errors of the position, without a failed satellite.
    public mutating func gbs(_ solution: NavigationSolution) {
        beginSentence("GBS")
        appendTime(of: solution)
        for error in [solution.latitudeError, solution.longitudeError, solution.altitudeError] {
            writer.appendField(error, places: 1)
        }
        writer.appendEmptyFields(4)
        if layout.version.hasSystemIDs { writer.appendEmptyFields(2) }
        writer.endSentence()
    }

    /// Writes PGRME: Garmin's error estimate as circular error probable (1.1774 standard deviations
    /// of one axis).
    public mutating func pgrme(_ solution: NavigationSolution) {
        let horizontal = solution.latitudeError.map { $0 * 1.1774 }
        let vertical = solution.altitudeError.map { $0 * 0.6745 }
        writer.beginSentence(talker: "P", type: "GRME")
        writer.appendField(horizontal, places: 1)
        writer.appendField("M")
        writer.appendField(vertical, places: 1)
        writer.appendField("M")
        writer.appendField(horizontal.flatMap { h in vertical.map { v in (h * h + v * v).squareRoot() } }, places: 1)
        writer.appendField("M")
        writer.endSentence()
    }

    /// Decimals that match the resolution of the position: a minute with five decimals resolves 2
    /// cm.
    private var errorDecimals: Int { layout.minuteDecimals > 5 ? 3 : layout.minuteDecimals > 4 ? 2 : 1 }
}
