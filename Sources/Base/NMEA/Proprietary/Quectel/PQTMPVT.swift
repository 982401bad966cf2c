import Chronology

/// The complete solution in one sentence, in decimal degrees (`PQTMPVT`; Quectel LC26G/76G/86G
/// protocol specification, section 2.3). A test uses the example of that section.
///
/// The decoder ignores field 5: one edition calls it "reserved", another "quality", and it is 0, 1
/// or 2 with a good fix.
public struct PQTMPVT: Sendable {
    /// UTC of the fix.
    public var time: TimeOfDay?
    /// UTC date of the fix.
    public var date: CivilDate?
    /// The position; nil if the fields are empty.
    public var position: Position?
    /// 0 no fix, 2 two-dimensional, 3 three-dimensional.
    public var fixMode: UInt8?
    /// Satellites used.
    public var satellitesUsed: UInt8?
    /// Metres above mean sea level.
    @Reported public var altitude: Double?
    /// Metres from the ellipsoid up to the geoid.
    @Reported public var geoidSeparation: Double?
    /// Metres per second over ground.
    @Reported public var speed: Double?
    /// Degrees clockwise from true north.
    @Reported public var course: Double?
    /// Horizontal dilution of precision as reported.
    @Reported public var hdop: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        reader.skip(body, count: 2)
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
        reader.skip(body, count: 3)
        speed = reader.decimal(body)
        course = reader.decimal(body)
        hdop = reader.decimal(body)
    }
}

/// The satellite-only solution of a dead-reckoning receiver, in decimal degrees (`PQTMGPS`; Quectel
/// LG69T and LC79D protocol specifications).
///
/// It has only GPS time, without week, date or leap seconds, so it has no UTC.
///
/// The form with 12 fields has one altitude and matches the published example. The form with 13
/// fields has the ellipsoidal altitude and the altitude above sea level, and the fix mode precedes
/// the satellites. It follows gpsd's decoder for an LC79D; no capture contains it.
public struct PQTMGPS: Sendable {
    /// The position; nil if the fields are empty.
    public var position: Position?
    /// Metres above the ellipsoid; nil in the short form, which does not document its altitude
    /// reference.
    @Reported public var ellipsoidalAltitude: Double?
    /// Metres above mean sea level.
    @Reported public var altitude: Double?
    /// Metres per second over ground.
    @Reported public var speed: Double?
    /// Degrees clockwise from true north.
    @Reported public var course: Double?
    /// Horizontal accuracy in metres.
    @Reported public var horizontalAccuracy: Double?
    /// Horizontal dilution of precision as reported.
    @Reported public var hdop: Double?
    /// 0 no fix, 2 two-dimensional, 3 three-dimensional.
    public var fixMode: UInt8?
    /// Satellites used.
    public var satellitesUsed: UInt8?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        let fields = reader.remaining(body)
        guard fields >= 12 else { return nil }
        reader.skip(body, count: 2)
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

/// Velocity and its accuracy (`PQTMVEL`; Quectel LC26G/76G/86G protocol specification 1.5, and its
/// published examples).
public struct PQTMVEL: Sendable {
    /// UTC.
    public var time: TimeOfDay?
    /// Metres per second over ground.
    @Reported public var speed: Double?
    /// Degrees clockwise from true north.
    @Reported public var heading: Double?
    /// Accuracy of the speed in metres per second.
    @Reported public var speedAccuracy: Double?
    /// Accuracy of the heading in degrees; near 360 at rest.
    @Reported public var headingAccuracy: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        reader.skip(body)
        time = reader.time(body)
        reader.skip(body, count: 3)
        guard !reader.atEnd(body) else { return nil }
        speed = reader.decimal(body)
        reader.skip(body)
        heading = reader.decimal(body)
        speedAccuracy = reader.decimal(body)
        reader.skip(body)
        headingAccuracy = reader.decimal(body)
    }
}

/// Expected position errors of a Quectel receiver (`PQTMEPE`; Quectel LC29H and LC26G/76G/86G
/// protocol specifications).
///
/// In every example the two-dimensional error is the root of the summed squares of north and east.
/// The axis errors are therefore one-sigma errors.
public struct PQTMEPE: Sendable {
    /// The version of the layout. Only version 2 is supported; for other versions all other values
    /// are nil.
    public var version: UInt8
    /// Error to the north in metres.
    @Reported public var north: Double?
    /// Error to the east in metres.
    @Reported public var east: Double?
    /// Vertical error in metres.
    @Reported public var down: Double?
    /// Two-dimensional error in metres.
    @Reported public var horizontal: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        guard let version = reader.byte(body) else { return nil }
        self.version = version
        guard version == 2 else { return }
        // Some firmware sends three numbers under the same version. No manual documents which
        // numbers these are.
        guard reader.remaining(body) >= 5 else { return }
        north = reader.decimal(body)
        east = reader.decimal(body)
        down = reader.decimal(body)
        horizontal = reader.decimal(body)
    }
}

/// Firmware of a Quectel receiver, the response to `PQTMVERNO` (Quectel LC29H protocol
/// specification 1.1).
public struct PQTMVERNO: Sendable {
    /// The version, for example "LC29HDANR11A03S_RSA"; "ERROR" if the receiver did not recognize
    /// the query.
    public var version: ShortText

    init?(_ body: RawSpan, reader: inout FieldReader) {
        let name = reader.field(body)
        guard !name.isEmpty else { return nil }
        version = ShortText(body, in: name)
    }
}

/// Time and attitude of two antennas (`PQTMTAR` of Quectel LC02H and LG580P; layout of published
/// decoders and examples). Pitch and roll are not decoded.
public struct PQTMTAR: Sendable {
    /// UTC of the heading.
    public var time: TimeOfDay?
    /// The quality of the vector between the antennas, with the values of GGA; 0 without a heading.
    public var quality: UInt8?
    /// Degrees clockwise from true north.
    @Reported public var heading: Double?
    /// Accuracy of the heading in degrees.
    @Reported public var headingAccuracy: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        reader.skip(body)
        time = reader.time(body)
        quality = reader.byte(body)
        // A reserved field, the length, pitch and roll.
        reader.skip(body, count: 4)
        heading = reader.decimal(body)
        reader.skip(body, count: 2)
        guard !reader.atEnd(body) else { return nil }
        headingAccuracy = reader.decimal(body)
    }
}
