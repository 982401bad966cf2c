/// Position, velocity and GPS week of a Garmin receiver (`PGRMF`; Garmin GPS 18x technical
/// specifications 190-00879-08, section 4.2.4).
///
/// It has neither altitude nor HDOP. Its PDOP is a single digit.
public struct PGRMF: Sendable {
    /// UTC of the fix, whole seconds.
    public var time: TimeOfDay?
    /// Day, month and two-digit year.
    public var date: ShortDate?
    /// The position; nil if the fields are empty.
    public var position: Position?
    /// 0 no fix, 1 two-dimensional, 2 three-dimensional.
    public var fixType: UInt8?
    /// Speed over ground in kilometres per hour.
    @Reported public var speed: Double?
    /// Degrees clockwise from true north.
    @Reported public var course: Double?
    /// Position dilution of precision, rounded to an integer.
    @Reported public var pdop: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        reader.skip(body, count: 2)
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

/// Expected position errors of a Garmin receiver (`PGRME`; Garmin "Proprietary NMEA 0183
/// Sentences", 190-00684-00). Garmin does not document the probability.
public struct PGRME: Sendable {
    /// Horizontal error in metres.
    @Reported public var horizontal: Double?
    /// Vertical error in metres.
    @Reported public var vertical: Double?
    /// Three-dimensional error in metres.
    @Reported public var spherical: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        horizontal = reader.decimal(body)
        guard !reader.atEnd(body) else { return nil }
        reader.skip(body)
        vertical = reader.decimal(body)
        reader.skip(body)
        spherical = reader.decimal(body)
    }
}

/// The name of the map datum of a Garmin receiver's positions (`PGRMM`; Garmin 190-00684-00).
public struct PGRMM: Sendable {
    /// The name of the datum, for example "WGS 84" or "NAD27 Canada".
    public var datum: ShortText

    init?(_ body: RawSpan, reader: inout FieldReader) {
        let name = reader.field(body)
        guard !name.isEmpty else { return nil }
        datum = ShortText(body, in: name)
    }

    /// Whether the datum is WGS-84.
    public var isWGS84: Bool { datum.contains("WGS 84") || datum.contains("WGS84") }
}

/// Altitude in feet (`PGRMZ`; Garmin 190-00684-00).
///
/// The altitude may be barometric, and FLARM sends pressure altitude in the same sentence. No fix
/// uses it.
public struct PGRMZ: Sendable {
    /// Altitude in feet.
    @Reported public var altitude: Double?
    /// 1 no fix, 2 altitude entered by the user, 3 altitude from satellites.
    public var fixType: UInt8?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        altitude = reader.decimal(body)
        guard !reader.atEnd(body) else { return nil }
        reader.skip(body)
        fixType = reader.byte(body)
    }
}
