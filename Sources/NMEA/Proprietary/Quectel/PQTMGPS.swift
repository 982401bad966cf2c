/// The satellites' part of a dead-reckoning receiver's solution, in decimal degrees (`PQTMGPS`; Quectel LG69T and LC79D protocol
/// specifications).
///
/// States GPS time alone, without a week, a date or the leap seconds: it has no UTC. The form of 12 fields, with one altitude, is the one of
/// the published example. That of 13, with the altitude above the ellipsoid and above the sea and the fix before the satellites, is as gpsd
/// reads an LC79D; no line of it has been seen here.
public struct PQTMGPS: Sendable {
    /// Nil where the fields are empty.
    public var position: Position?
    /// Metres above the ellipsoid; nil in the short form, which does not say what its altitude is above.
    @Stated public var ellipsoidalAltitude: Double?
    /// Metres above mean sea level.
    @Stated public var altitude: Double?
    /// Metres per second over ground.
    @Stated public var speed: Double?
    /// Degrees clockwise from true north.
    @Stated public var course: Double?
    /// Metres.
    @Stated public var horizontalAccuracy: Double?
    /// Horizontal dilution of precision as stated.
    @Stated public var hdop: Double?
    /// 0 none, 2 two dimensions, 3 three.
    public var fixMode: UInt8?
    /// Satellites used.
    public var satellitesUsed: UInt8?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        let fields = reader.remaining(body)
        guard fields >= 12 else { return nil }
        reader.skip(body, 2)
        position = reader.decimalPosition(body)
        if fields > 12 {
            ellipsoidalAltitude = reader.decimal(body)
            altitude = reader.decimal(body)
        } else {
            reader.skip(body)
        }
        speed = reader.decimal(body)
        course = reader.decimal(body)
        horizontalAccuracy = reader.decimal(body)
        hdop = reader.decimal(body)
        reader.skip(body)
        let (first, second) = (reader.byte(body), reader.byte(body))
        (fixMode, satellitesUsed) = fields > 12 ? (first, second) : (second, first)
    }
}
