extension SentenceEncoder {
    /// Writes GST: standard deviations of the position. The fields of the error ellipse stay empty,
    /// as on most receivers.
    public mutating func gst(_ s: Solution) {
        beginSentence(layout.talker, "GST")
        timeField(s.time)
        appendField(s.latitudeError.map { $0 * 4 }, places: 1)
        appendEmptyFields(3)
        for error in [s.latitudeError, s.longitudeError, s.altitudeError] { appendField(error, places: errorDecimals) }
        endSentence()
    }

    /// Writes GBS: expected errors of the position, without a failed satellite.
    public mutating func gbs(_ s: Solution) {
        beginSentence(layout.talker, "GBS")
        timeField(s.time)
        for error in [s.latitudeError, s.longitudeError, s.altitudeError] { appendField(error, places: 1) }
        appendEmptyFields(4)
        if layout.version.hasSystemIDs { appendEmptyFields(2) }
        endSentence()
    }

    /// Writes PGRME: Garmin's error estimate as circular error probable (1.1774 standard deviations
    /// of one axis).
    public mutating func pgrme(_ s: Solution) {
        let horizontal = s.latitudeError.map { $0 * 1.1774 }
        let vertical = s.altitudeError.map { $0 * 0.6745 }
        beginSentence("P", "GRME")
        appendField(horizontal, places: 1)
        appendField("M")
        appendField(vertical, places: 1)
        appendField("M")
        appendField(horizontal.flatMap { h in vertical.map { v in (h * h + v * v).squareRoot() } }, places: 1)
        appendField("M")
        endSentence()
    }

    /// Decimals that match the resolution of the position: a minute with five decimals resolves 2
    /// cm.
    private var errorDecimals: Int { layout.minuteDecimals > 5 ? 3 : layout.minuteDecimals > 4 ? 2 : 1 }
}
