extension SentenceEncoder {
    /// GST: standard deviations of the position. The ellipse stays empty, as most receivers leave it.
    public mutating func gst(_ s: Solution) {
        begin(layout.talker, "GST")
        timeField(s.time)
        field(s.latitudeError.map { $0 * 4 }, places: 1)
        empty(3)
        for error in [s.latitudeError, s.longitudeError, s.altitudeError] { field(error, places: errorDecimals) }
        end()
    }

    /// GBS: expected errors of the position, and no failed satellite.
    public mutating func gbs(_ s: Solution) {
        begin(layout.talker, "GBS")
        timeField(s.time)
        for error in [s.latitudeError, s.longitudeError, s.altitudeError] { field(error, places: 1) }
        empty(4)
        if layout.version.hasSystemIDs { empty(2) }
        end()
    }

    /// PGRME: Garmin's estimate of its error, as circular error probable (1.1774 standard deviations of one axis).
    public mutating func pgrme(_ s: Solution) {
        let horizontal = s.latitudeError.map { $0 * 1.1774 }
        let vertical = s.altitudeError.map { $0 * 0.6745 }
        begin("P", "GRME")
        field(horizontal, places: 1)
        field("M")
        field(vertical, places: 1)
        field("M")
        field(horizontal.flatMap { h in vertical.map { v in (h * h + v * v).squareRoot() } }, places: 1)
        field("M")
        end()
    }

    /// As fine as the position is printed: minutes with five decimals are 2 cm.
    private var errorDecimals: Int { layout.minuteDecimals > 5 ? 3 : layout.minuteDecimals > 4 ? 2 : 1 }
}
