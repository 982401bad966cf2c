extension SentenceEncoder {
    /// VTG: course and speed over ground.
    public mutating func vtg(_ s: Solution) {
        begin(layout.talker, "VTG")
        field(s.course, places: layout.courseDecimals)
        // A standing receiver knows its speed and not its course; the unit letters tell that VTG is of the newer kind.
        field(s.speed != nil || layout.keepsUnits ? "T" : "")
        empty()
        field(s.speed != nil || layout.keepsUnits ? "M" : "")
        field(s.speed.map { $0 * SentenceEncoder.knotsPerMetrePerSecond }, places: layout.speedDecimals, unit: "N")
        field(s.speed.map { $0 * 3.6 }, places: layout.speedDecimals, unit: "K")
        field(s.fix.mode)
        end()
    }

    /// HDT: true heading in degrees.
    public mutating func hdt(_ heading: Double?) {
        begin(layout.talker, "HDT")
        field(heading, places: layout.courseDecimals)
        field("T")
        end()
    }

    /// THS: true heading in degrees with its mode; V when unknown.
    public mutating func ths(_ heading: Double?) {
        begin(layout.talker, "THS")
        field(heading, places: layout.courseDecimals)
        field(heading == nil ? "V" : "A")
        end()
    }
}
