/// Course and speed over ground (NMEA 0183 VTG). Carries no time: it belongs to the epoch it comes in.
public struct VTG: Sendable {
    /// Degrees clockwise from true north.
    @Stated public var course: Double?
    /// Knots; km/h converted where the knots are missing.
    @Stated public var speed: Double?
    /// Mode letter of NMEA 2.3.
    public var mode: FAAMode?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        course = reader.decimal(body)
        // The form before 2.0 has no unit letters: true, magnetic, knots, km/h.
        let unit = reader.field(body)
        let isOld = unit.isEmpty ? reader.remaining(body) == 2 : body.byte(at: unit.lowerBound) != UInt8(ascii: "T")
        if isOld {
            speed = reader.decimal(body)
            return
        }
        reader.skip(body, 2)
        guard !reader.atEnd(body) else { return nil }
        speed = reader.decimal(body)
        reader.skip(body)
        let kilometresPerHour = reader.decimal(body)
        if speed == nil { speed = kilometresPerHour.map { $0 / 1.852 } }
        reader.skip(body)
        mode = reader.mode(body)
    }
}
