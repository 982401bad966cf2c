/// Recommended minimum data with altitude and velocity (`PSTI,030`; SkyTraq application note
/// AN0028; captures `skytraq-*`, where the altitude equals that of GGA).
public struct PSTI030: Sendable {
    /// UTC of the fix.
    public var time: TimeOfDay?
    /// Day, month and two-digit year.
    public var date: ShortDate?
    /// True for `A`, false for `V`.
    public var isValid: Bool?
    /// The position; nil if the fields are empty.
    public var position: Position?
    /// Metres above mean sea level.
    @Reported public var altitude: Double?
    /// Eastward speed in metres per second.
    @Reported public var eastwardSpeed: Double?
    /// Northward speed in metres per second.
    @Reported public var northwardSpeed: Double?
    /// Upward speed in metres per second.
    @Reported public var upwardSpeed: Double?
    /// Mode letter; nil for the undocumented `O` that PX1172RH sends during a float solution.
    public var mode: FAAMode?

    init?(_ body: RawSpan, reader: inout FieldReader) {
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

/// The baseline from the base to the rover (`PSTI,032`; SkyTraq application note AN0028; capture
/// `skytraq-PX1172RH_DS`). No fix uses it, because it has no position.
public struct PSTI032: Sendable {
    /// UTC of the fix.
    public var time: TimeOfDay?
    /// True for `A`, false for `V`.
    public var isValid: Bool?
    /// Mode letter; `F` or `R` if the baseline is valid.
    public var mode: FAAMode?
    /// East component in metres.
    @Reported public var east: Double?
    /// North component in metres.
    @Reported public var north: Double?
    /// Up component in metres.
    @Reported public var up: Double?
    /// Length of the baseline in metres.
    @Reported public var length: Double?
    /// Direction of the baseline in degrees clockwise from true north.
    @Reported public var course: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        reader.skip(body)
        isValid = reader.status(body)
        mode = reader.mode(body)
        east = reader.decimal(body)
        north = reader.decimal(body)
        up = reader.decimal(body)
        guard !reader.atEnd(body) else { return nil }
        length = reader.decimal(body)
        course = reader.decimal(body)
    }
}

/// Heading, pitch and roll of two antennas (`PSTI,036`; capture `skytraq-PX1172RH_DS`, where the
/// heading equals that of HDT). Pitch and roll are not decoded.
public struct PSTI036: Sendable {
    /// UTC of the heading.
    public var time: TimeOfDay?
    /// Degrees clockwise from true north.
    @Reported public var heading: Double?
    /// Mode letter: `R` or `F` if the heading is valid.
    public var mode: FAAMode?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        reader.skip(body)
        heading = reader.decimal(body)
        reader.skip(body, count: 2)
        guard !reader.atEnd(body) else { return nil }
        mode = reader.mode(body)
    }
}
