/// Recommended minimum data in three dimensions (`PSTI,030`; SkyTraq application note AN0028; the captures `skytraq-*`, where its altitude is
/// that of GGA).
public struct PSTI030: Sendable {
    /// UTC of the fix.
    public var time: TimeOfDay?
    /// Day, month and two digits of the year.
    public var date: ShortDate?
    /// `A` true, `V` false.
    public var isValid: Bool?
    /// Nil where the fields are empty.
    public var position: Position?
    /// Metres above mean sea level.
    @Stated public var altitude: Double?
    /// Metres per second.
    @Stated public var eastwardSpeed: Double?
    /// Metres per second.
    @Stated public var northwardSpeed: Double?
    /// Metres per second.
    @Stated public var upwardSpeed: Double?
    /// Mode letter; nil for the `O` that PX1172RH sends while it has a float solution, and that no manual tells of.
    public var mode: FAAMode?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        time = reader.time(body)
        isValid = reader.status(body)
        position = reader.position(body)
        altitude = reader.decimal(body)
        eastwardSpeed = reader.decimal(body)
        northwardSpeed = reader.decimal(body)
        upwardSpeed = reader.decimal(body)
        guard !reader.atEnd(body) else { return nil }
        date = reader.date(body)
        mode = reader.mode(body)
    }
}
