/// Course and speed over ground (NMEA 0183 VTG). It has no time: it belongs to the epoch in which
/// it arrives.
public struct VTG: Sendable {
    /// Degrees clockwise from true north.
    @Reported public var course: Double?
    /// Speed in knots, converted from km/h if the knots are missing.
    @Reported public var speed: Double?
    /// Mode letter, added in NMEA 2.3.
    public var mode: FAAMode?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        course = reader.decimal(body)
        // The form before 2.0 has no unit letters; its fields are true course, magnetic course,
        // knots and km/h.
        let unit = reader.field(body)
        let isOld = unit.isEmpty ? reader.remaining(body) == 2 : body.byte(at: unit.lowerBound) != UInt8(ascii: "T")
        if isOld {
            speed = reader.decimal(body)
            return
        }
        reader.skip(body, count: 2)
        guard !reader.atEnd(body) else { return nil }
        speed = reader.decimal(body)
        reader.skip(body)
        let kilometresPerHour = reader.decimal(body)
        if speed == nil { speed = kilometresPerHour.map { $0 / 1.852 } }
        reader.skip(body)
        mode = reader.mode(body)
    }
}
