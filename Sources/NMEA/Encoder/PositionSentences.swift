import Chronology

extension SentenceEncoder {
    /// GGA: position, quality, height.
    public mutating func gga(_ s: Solution) {
        begin(layout.talker, "GGA")
        timeField(s.time)
        positionFields(s)
        field(s.fix.quality)
        field(min(s.satellitesUsed, layout.greatestSatelliteCount), width: 2)
        dopField(s.hdop)
        field(s.altitude, places: layout.altitudeDecimals, unit: "M")
        field(s.geoidSeparation, places: layout.altitudeDecimals, unit: "M")
        empty(2)
        end()
    }

    /// RMC: position, speed, course, date.
    public mutating func rmc(_ s: Solution) {
        begin(layout.talker, "RMC")
        timeField(s.time)
        field(s.fix.status)
        positionFields(s)
        field(s.speed.map { $0 * SentenceEncoder.knotsPerMetrePerSecond }, places: layout.speedDecimals)
        field(s.course, places: layout.courseDecimals)
        dateField(s.date)
        field(s.magneticVariation.map { abs($0) }, places: 1)
        field(s.magneticVariation.map { $0 < 0 ? "W" : "E" } ?? "")
        field(s.fix.mode)
        if layout.version.hasSystemIDs { field("V") }
        end()
    }

    /// GLL: position and time.
    public mutating func gll(_ s: Solution) {
        begin(layout.talker, "GLL")
        positionFields(s)
        timeField(s.time)
        field(s.fix.status)
        field(s.fix.mode)
        end()
    }

    /// GNS: position with one mode letter per constellation.
    ///
    /// - Parameter systems: The constellations that count towards the fix.
    public mutating func gns(_ s: Solution, systems: [System]) {
        begin(layout.talker, "GNS")
        timeField(s.time)
        positionFields(s)
        let letters = layout.version.hasSystemIDs ? 4 : 2
        field(System.allCases.prefix(letters).map { systems.contains($0) ? s.fix.mode : "N" }.joined())
        field(s.satellitesUsed, width: 2)
        dopField(s.hdop)
        field(s.altitude, places: layout.altitudeDecimals)
        field(s.geoidSeparation, places: layout.altitudeDecimals)
        empty(2)
        if layout.version.hasSystemIDs { field("V") }
        end()
    }

    private mutating func dateField(_ date: CivilDate?) {
        empty()
        guard let date else { return }
        let (year, month, day) = date.components
        for part in [day, month, ((year % 100) + 100) % 100] { put(integer: Int64(part), width: 2) }
    }
}
