/// Position with altitude (`PASHR,POS`; Magellan AC12 reference manual; capture `ac12_binary`).
///
/// In the capture the altitude equals the altitude of GGA plus the geoid separation: it is above
/// the ellipsoid. The manual gives the speed in knots; the capture cannot confirm it, because its
/// receiver does not move.
///
/// `PASHR` with a time in place of the name is ``PASHRAttitude``.
public struct PASHRPOS: Sendable {
    /// UTC of the fix.
    public var time: TimeOfDay?
    /// The position; nil if the fields are empty.
    public var position: Position?
    /// 0 autonomous, 1 differential, 2 RTK float, 3 RTK fixed; nil if the field is empty, which
    /// means no fix.
    public var quality: UInt8?
    /// Satellites used.
    public var satellitesUsed: UInt8?
    /// Metres above the ellipsoid.
    @Reported public var ellipsoidalAltitude: Double?
    /// Degrees clockwise from true north.
    @Reported public var course: Double?
    /// Knots over ground.
    @Reported public var speed: Double?
    /// Horizontal dilution of precision as reported.
    @Reported public var hdop: Double?
    /// Vertical dilution of precision as reported.
    @Reported public var vdop: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        quality = reader.byte(body)
        satellitesUsed = reader.byte(body)
        time = reader.time(body)
        position = reader.position(body)
        guard !reader.atEnd(body) else { return nil }
        ellipsoidalAltitude = reader.decimal(body)
        reader.skip(body)
        course = reader.decimal(body)
        speed = reader.decimal(body)
        reader.skip(body, count: 2)
        hdop = reader.decimal(body)
        vdop = reader.decimal(body)
    }
}
