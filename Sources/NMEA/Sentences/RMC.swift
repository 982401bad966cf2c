import Chronology

/// Recommended minimum data: position, speed, course and the date (NMEA 0183 RMC, 2.0 to 4.11).
public struct RMC: Sendable {
    /// UTC of the fix.
    public var time: TimeOfDay?
    /// `A` true, `V` false, nil where the field is empty.
    public var isValid: Bool?
    /// Nil where the fields are empty.
    public var position: Position?
    /// Knots over ground.
    @Stated public var speed: Double?
    /// Degrees clockwise from true north; empty on most receivers at rest.
    @Stated public var course: Double?
    /// Day, month and two digits of the year.
    public var date: ShortDate?
    /// Degrees of magnetic variation, east positive.
    @Stated public var magneticVariation: Double?
    /// Mode letter of NMEA 2.3.
    public var mode: FAAMode?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        time = reader.time(body)
        isValid = reader.status(body)
        position = reader.position(body)
        speed = reader.decimal(body)
        course = reader.decimal(body)
        guard !reader.atEnd(body) else { return nil }
        date = reader.date(body)
        magneticVariation = reader.decimal(body)
        if reader.letter(body) == UInt8(ascii: "W") { magneticVariation?.negate() }
        // Field 13, the navigation status of 4.1, is left: u-blox always says V there, with a good fix too.
        mode = reader.mode(body)
    }
}
