/// Position in three dimensions (`PASHR,POS`; Magellan AC12 reference manual; the capture `ac12_binary`, where its altitude is that of GGA plus
/// the geoid's: above the ellipsoid).
///
/// `PASHR` with a time in place of a name is something else, the attitude of an inertial system, and is not read. That the speed is in
/// knots is the manual's word; the capture stands still.
public struct PASHRPOS: Sendable {
    /// UTC of the fix.
    public var time: TimeOfDay?
    /// Nil where the fields are empty.
    public var position: Position?
    /// 0 autonomous, 1 differential, 2 RTK float, 3 RTK fixed; nil where empty: there is no fix.
    public var kind: UInt8?
    /// Satellites used.
    public var satellitesUsed: UInt8?
    /// Metres above the ellipsoid.
    @Stated public var ellipsoidalAltitude: Double?
    /// Degrees clockwise from true north.
    @Stated public var course: Double?
    /// Knots over ground.
    @Stated public var speed: Double?
    /// Horizontal dilution of precision as stated.
    @Stated public var hdop: Double?
    /// Vertical dilution of precision as stated.
    @Stated public var vdop: Double?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        kind = reader.byte(body)
        satellitesUsed = reader.byte(body)
        time = reader.time(body)
        position = reader.position(body)
        guard !reader.atEnd(body) else { return nil }
        ellipsoidalAltitude = reader.decimal(body)
        reader.skip(body)
        course = reader.decimal(body)
        speed = reader.decimal(body)
        reader.skip(body, 2)
        hdop = reader.decimal(body)
        vdop = reader.decimal(body)
    }
}
