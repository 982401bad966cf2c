import Chronology

/// The whole solution in one sentence, in decimal degrees (`PQTMPVT`; Quectel LC26G/76G/86G protocol specification, section 2.3, whose example
/// is a test).
///
/// Field 5 is "reserved" in one edition and "quality" in another and is 0, 1 or 2 beside a good fix: it is left.
public struct PQTMPVT: Sendable {
    /// UTC of the fix.
    public var time: TimeOfDay?
    /// UTC.
    public var date: CivilDate?
    /// Nil where the fields are empty.
    public var position: Position?
    /// 0 none, 2 two dimensions, 3 three.
    public var fixMode: UInt8?
    /// Satellites used.
    public var satellitesUsed: UInt8?
    /// Metres above mean sea level.
    @Stated public var altitude: Double?
    /// Metres from the ellipsoid up to the geoid.
    @Stated public var geoidSeparation: Double?
    /// Metres per second over ground.
    @Stated public var speed: Double?
    /// Degrees clockwise from true north.
    @Stated public var course: Double?
    /// Horizontal dilution of precision as stated.
    @Stated public var hdop: Double?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        reader.skip(body, 2)
        date = reader.fullDate(body)
        time = reader.time(body)
        reader.skip(body)
        fixMode = reader.byte(body)
        satellitesUsed = reader.byte(body)
        reader.skip(body)
        position = reader.decimalPosition(body)
        guard !reader.atEnd(body) else { return nil }
        altitude = reader.decimal(body)
        geoidSeparation = reader.decimal(body)
        reader.skip(body, 3)
        speed = reader.decimal(body)
        course = reader.decimal(body)
        hdop = reader.decimal(body)
    }
}
