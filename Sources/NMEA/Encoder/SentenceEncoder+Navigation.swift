import Chronology

extension SentenceEncoder {
    /// Writes GGA: position, quality and altitude.
    public mutating func gga(_ s: Solution) {
        beginSentence(layout.talker, "GGA")
        timeField(s.time)
        positionFields(s)
        appendField(s.fix.quality)
        appendField(min(s.satellitesUsed, layout.maxSatelliteCount), width: 2)
        dopField(s.hdop)
        field(s.altitude, places: layout.altitudeDecimals, unit: "M")
        field(s.geoidSeparation, places: layout.altitudeDecimals, unit: "M")
        appendEmptyFields(2)
        endSentence()
    }

    /// Writes RMC: position, speed, course and date.
    public mutating func rmc(_ s: Solution) {
        beginSentence(layout.talker, "RMC")
        timeField(s.time)
        appendField(s.fix.status)
        positionFields(s)
        appendField(s.speed.map { $0 * SentenceEncoder.knotsPerMetrePerSecond }, places: layout.speedDecimals)
        appendField(s.course, places: layout.courseDecimals)
        append(s.date)
        appendField(s.magneticVariation.map { abs($0) }, places: 1)
        appendField(s.magneticVariation.map { $0 < 0 ? "W" : "E" } ?? "")
        appendField(s.fix.mode)
        if layout.version.hasSystemIDs { appendField("V") }
        endSentence()
    }

    /// Writes GLL: position and time.
    public mutating func gll(_ s: Solution) {
        beginSentence(layout.talker, "GLL")
        positionFields(s)
        timeField(s.time)
        appendField(s.fix.status)
        appendField(s.fix.mode)
        endSentence()
    }

    /// Writes GNS: position with one mode letter per constellation.
    ///
    /// - Parameter systems: The constellations used in the fix.
    public mutating func gns(_ s: Solution, systems: [System]) {
        beginSentence(layout.talker, "GNS")
        timeField(s.time)
        positionFields(s)
        let letters = layout.version.hasSystemIDs ? 4 : 2
        appendField(System.allCases.prefix(letters).map { systems.contains($0) ? s.fix.mode : "N" }.joined())
        appendField(s.satellitesUsed, width: 2)
        dopField(s.hdop)
        appendField(s.altitude, places: layout.altitudeDecimals)
        appendField(s.geoidSeparation, places: layout.altitudeDecimals)
        appendEmptyFields(2)
        if layout.version.hasSystemIDs { appendField("V") }
        endSentence()
    }

    /// Writes VTG: course and speed over ground.
    public mutating func vtg(_ s: Solution) {
        beginSentence(layout.talker, "VTG")
        appendField(s.course, places: layout.courseDecimals)
        // A stationary receiver knows its speed but not its course. The unit letters identify the
        // newer form of VTG.
        appendField(s.speed != nil || layout.writesUnitsOfEmptyValues ? "T" : "")
        appendEmptyFields()
        appendField(s.speed != nil || layout.writesUnitsOfEmptyValues ? "M" : "")
        field(s.speed.map { $0 * SentenceEncoder.knotsPerMetrePerSecond }, places: layout.speedDecimals, unit: "N")
        field(s.speed.map { $0 * 3.6 }, places: layout.speedDecimals, unit: "K")
        appendField(s.fix.mode)
        endSentence()
    }

    /// Writes HDT: true heading in degrees.
    public mutating func hdt(_ heading: Double?) {
        beginSentence(layout.talker, "HDT")
        appendField(heading, places: layout.courseDecimals)
        appendField("T")
        endSentence()
    }

    /// Writes THS: true heading in degrees and its mode; V if the heading is unknown.
    public mutating func ths(_ heading: Double?) {
        beginSentence(layout.talker, "THS")
        appendField(heading, places: layout.courseDecimals)
        appendField(heading == nil ? "V" : "A")
        endSentence()
    }

    private mutating func append(_ date: CivilDate?) {
        appendEmptyFields()
        guard let date else { return }
        let (year, month, day) = date.components
        for part in [day, month, ((year % 100) + 100) % 100] { append(integer: Int64(part), width: 2) }
    }
}
