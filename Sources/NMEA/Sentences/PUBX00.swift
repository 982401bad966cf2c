/// Position with the receiver's own accuracy (u-blox `PUBX,00`; u-blox M8 protocol description, NMEA-PUBX-POSITION).
public struct PUBX00: Sendable {
    /// UTC of the fix.
    public var time: TimeOfDay?
    /// Nil where the fields are empty.
    public var position: Position?
    /// Metres above the ellipsoid.
    @Stated public var ellipsoidalAltitude: Double?
    /// The navigation status.
    public var status: Status?
    /// Metres; root of the summed squares of both axes, so about 63 to 68 %. Several thousand kilometres without a fix.
    @Stated public var horizontalAccuracy: Double?
    /// Metres, one sigma.
    @Stated public var verticalAccuracy: Double?
    /// Kilometres per hour over ground.
    @Stated public var speed: Double?
    /// Degrees clockwise from true north.
    @Stated public var course: Double?
    /// Metres per second, down positive.
    @Stated public var downwardSpeed: Double?
    /// Horizontal dilution of precision as stated.
    @Stated public var hdop: Double?
    /// Vertical dilution of precision as stated.
    @Stated public var vdop: Double?
    /// Satellites used.
    public var satellitesUsed: UInt8?

    /// Two letters of field 8.
    public enum Status: Sendable {
        /// `NF`: none.
        case none
        /// `DR`: dead reckoning alone.
        case deadReckoning
        /// `RK`: satellites and dead reckoning.
        case combined
        /// `G2`, `G3`: satellites alone, two or three dimensions.
        case standalone2D, standalone3D
        /// `D2`, `D3`: differential, two or three dimensions.
        case differential2D, differential3D
        /// `TT`: time alone.
        case timeOnly
    }

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        time = reader.time(body)
        position = reader.position(body)
        ellipsoidalAltitude = reader.decimal(body)
        status = PUBX00.status(body, reader.field(body))
        horizontalAccuracy = reader.decimal(body)
        verticalAccuracy = reader.decimal(body)
        speed = reader.decimal(body)
        course = reader.decimal(body)
        guard !reader.atEnd(body) else { return nil }
        downwardSpeed = reader.decimal(body)
        reader.skip(body)
        hdop = reader.decimal(body)
        vdop = reader.decimal(body)
        reader.skip(body)
        satellitesUsed = reader.byte(body)
    }

    private static func status(_ body: RawSpan, _ range: Range<Int>) -> Status? {
        guard range.count == 2 else { return nil }
        return switch (body.byte(at: range.lowerBound), body.byte(at: range.lowerBound + 1)) {
        case (UInt8(ascii: "N"), UInt8(ascii: "F")): Status.none
        case (UInt8(ascii: "D"), UInt8(ascii: "R")): .deadReckoning
        case (UInt8(ascii: "R"), UInt8(ascii: "K")): .combined
        case (UInt8(ascii: "G"), UInt8(ascii: "2")): .standalone2D
        case (UInt8(ascii: "G"), UInt8(ascii: "3")): .standalone3D
        case (UInt8(ascii: "D"), UInt8(ascii: "2")): .differential2D
        case (UInt8(ascii: "D"), UInt8(ascii: "3")): .differential3D
        case (UInt8(ascii: "T"), UInt8(ascii: "T")): .timeOnly
        default: nil
        }
    }
}
