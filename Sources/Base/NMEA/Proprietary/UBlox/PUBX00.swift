/// Position with the receiver's accuracy estimate (u-blox `PUBX,00`; u-blox M8 protocol
/// description, NMEA-PUBX-POSITION).
public struct PUBX00: Sendable {
    /// UTC of the fix.
    public var time: TimeOfDay?
    /// The position; nil if the fields are empty.
    public var position: Position?
    /// Metres above the ellipsoid.
    @Reported public var ellipsoidalAltitude: Double?
    /// The navigation status.
    public var status: Status?
    /// Horizontal accuracy in metres: the root of the summed squares of both axes, so about 63 to
    /// 68 %. Several thousand kilometres without a fix.
    @Reported public var horizontalAccuracy: Double?
    /// Vertical accuracy in metres, one sigma.
    @Reported public var verticalAccuracy: Double?
    /// Kilometres per hour over ground.
    @Reported public var speed: Double?
    /// Degrees clockwise from true north.
    @Reported public var course: Double?
    /// Downward speed in metres per second; negative when climbing.
    @Reported public var downwardSpeed: Double?
    /// Horizontal dilution of precision as reported.
    @Reported public var hdop: Double?
    /// Vertical dilution of precision as reported.
    @Reported public var vdop: Double?
    /// Satellites used.
    public var satellitesUsed: UInt8?

    /// The navigation status: two letters in field 8.
    public enum Status: Sendable {
        /// `NF`: no fix.
        case none
        /// `DR`: dead reckoning only.
        case deadReckoning
        /// `RK`: satellites combined with dead reckoning.
        case combined
        /// `G2`, `G3`: satellites only, two- or three-dimensional.
        case standalone2D, standalone3D
        /// `D2`, `D3`: differential, two- or three-dimensional.
        case differential2D, differential3D
        /// `TT`: time only.
        case timeOnly
    }

    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        position = reader.position(body)
        ellipsoidalAltitude = reader.decimal(body)
        status = PUBX00.status(body, in: reader.field(body))
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

    private static func status(_ body: RawSpan, in range: Range<Int>) -> Status? {
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
