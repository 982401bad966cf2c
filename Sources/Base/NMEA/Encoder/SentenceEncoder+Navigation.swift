extension SentenceEncoder {
    /// Writes GGA: position, quality and altitude.
    public mutating func gga(_ solution: NavigationSolution) {
        beginSentence("GGA")
        appendTime(of: solution)
        appendPosition(of: solution)
        writer.appendField(solution.fix.quality)
        writer.appendField(min(solution.satellitesUsed, layout.maxSatelliteCount), width: 2)
        appendDOP(solution.hdop)
        appendField(solution.altitude, places: layout.altitudeDecimals, unit: "M")
        appendField(solution.geoidSeparation, places: layout.altitudeDecimals, unit: "M")
        writer.appendEmptyFields(2)
        writer.endSentence()
    }

    /// Writes RMC: position, speed, course and date.
    public mutating func rmc(_ solution: NavigationSolution) {
        beginSentence("RMC")
        appendTime(of: solution)
        writer.appendField(solution.fix.status)
        appendPosition(of: solution)
        writer.appendField(
            solution.speed.map { $0 * SentenceEncoder.knotsPerMetrePerSecond }, places: layout.speedDecimals)
        writer.appendField(solution.course, places: layout.courseDecimals)
        writer.appendDateField(solution.date)
        writer.appendField(solution.magneticVariation.map { abs($0) }, places: 1)
        writer.appendField(solution.magneticVariation.map { $0 < 0 ? "W" : "E" } ?? "")
        writer.appendField(solution.fix.letter)
        if layout.version.hasSystemIDs { writer.appendField("V") }
        writer.endSentence()
    }

    /// Writes GLL: position and time.
    public mutating func gll(_ solution: NavigationSolution) {
        beginSentence("GLL")
        appendPosition(of: solution)
        appendTime(of: solution)
        writer.appendField(solution.fix.status)
        writer.appendField(solution.fix.letter)
        writer.endSentence()
    }

    /// Writes GNS: position with one mode letter per constellation.
    ///
    /// - Parameter systems: The constellations used in the fix.
    public mutating func gns(_ solution: NavigationSolution, systems: [System]) {
        beginSentence("GNS")
        appendTime(of: solution)
        appendPosition(of: solution)
        let letters = layout.version.hasSystemIDs ? 4 : 2
        writer.appendField(
            System.allCases.prefix(letters).map { systems.contains($0) ? solution.fix.letter : "N" }.joined())
        writer.appendField(solution.satellitesUsed, width: 2)
        appendDOP(solution.hdop)
        writer.appendField(solution.altitude, places: layout.altitudeDecimals)
        writer.appendField(solution.geoidSeparation, places: layout.altitudeDecimals)
        writer.appendEmptyFields(2)
        if layout.version.hasSystemIDs { writer.appendField("V") }
        writer.endSentence()
    }

    /// Writes VTG: course and speed over ground.
    public mutating func vtg(_ solution: NavigationSolution) {
        beginSentence("VTG")
        writer.appendField(solution.course, places: layout.courseDecimals)
        // A stationary receiver knows its speed but not its course. The unit letters identify the
        // newer form of VTG.
        writer.appendField(solution.speed != nil || layout.writesUnitsOfEmptyValues ? "T" : "")
        writer.appendEmptyFields()
        writer.appendField(solution.speed != nil || layout.writesUnitsOfEmptyValues ? "M" : "")
        appendField(
            solution.speed.map { $0 * SentenceEncoder.knotsPerMetrePerSecond }, places: layout.speedDecimals, unit: "N")
        appendField(solution.speed.map { $0 * 3.6 }, places: layout.speedDecimals, unit: "K")
        writer.appendField(solution.fix.letter)
        writer.endSentence()
    }

    /// Writes HDT: true heading in degrees.
    public mutating func hdt(_ heading: Double?) {
        beginSentence("HDT")
        writer.appendField(heading, places: layout.courseDecimals)
        writer.appendField("T")
        writer.endSentence()
    }

    /// Writes THS: true heading in degrees and its mode; V if the heading is unknown.
    public mutating func ths(_ heading: Double?) {
        beginSentence("THS")
        writer.appendField(heading, places: layout.courseDecimals)
        writer.appendField(heading == nil ? "V" : "A")
        writer.endSentence()
    }
}
