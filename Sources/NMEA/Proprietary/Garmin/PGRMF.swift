import Chronology

/// Position, velocity and GPS week of a Garmin receiver (`PGRMF`; Garmin GPS 18x technical specifications 190-00879-08, section 4.2.4).
///
/// Has neither altitude nor HDOP. Its PDOP is a single digit.
public struct PGRMF: Sendable {
    /// UTC of the fix, whole seconds.
    public var time: TimeOfDay?
    /// Day, month and two digits of the year.
    public var date: ShortDate?
    /// Nil where the fields are empty.
    public var position: Position?
    /// 0 none, 1 two dimensions, 2 three.
    public var fixType: UInt8?
    /// Kilometres per hour over ground.
    @Stated public var speed: Double?
    /// Degrees clockwise from true north.
    @Stated public var course: Double?
    /// Position dilution of precision, rounded to a whole number.
    @Stated public var pdop: Double?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        reader.skip(body, 2)
        date = reader.date(body)
        time = reader.time(body)
        reader.skip(body)
        position = reader.position(body)
        reader.skip(body)
        guard !reader.atEnd(body) else { return nil }
        fixType = reader.byte(body)
        speed = reader.decimal(body)
        course = reader.decimal(body)
        pdop = reader.decimal(body)
    }
}
