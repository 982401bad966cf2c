/// Recommended minimum data: position, speed, course and date (NMEA 0183 RMC, 2.0 to 4.11).
public struct RMC: Sendable {
    /// UTC of the fix.
    public var time: TimeOfDay?
    /// True for `A` and `D`, false for `V`, nil if the field is empty.
    public var isValid: Bool?
    /// The position; nil if the fields are empty.
    public var position: Position?
    /// Knots over ground.
    @Reported public var speed: Double?
    /// Degrees clockwise from true north; empty on most receivers at rest.
    @Reported public var course: Double?
    /// Day, month and two-digit year.
    public var date: ShortDate?
    /// Degrees of magnetic variation, east positive.
    @Reported public var magneticVariation: Double?
    /// Mode letter, added in NMEA 2.3; differential for the status `D` without one.
    public var mode: FAAMode?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        let status = reader.offset
        isValid = reader.status(body)
        position = reader.position(body)
        speed = reader.decimal(body)
        course = reader.decimal(body)
        guard !reader.atEnd(body) else { return nil }
        date = reader.date(body)
        magneticVariation = reader.decimal(body)
        if reader.letter(body) == UInt8(ascii: "W") { magneticVariation?.negate() }
        // Ignore field 13, the navigation status of 4.1: u-blox always sends V, even with a good
        // fix.
        mode = reader.mode(body, afterStatusAt: status)
    }
}
