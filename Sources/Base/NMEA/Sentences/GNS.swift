/// Fix data of a multi-constellation receiver (NMEA 0183 GNS).
///
/// Trimble receivers send one sentence for all constellations (`GNGNS`), and one without a position
/// for each constellation.
public struct GNS: Sendable {
    /// UTC of the fix.
    public var time: TimeOfDay?
    /// The position; nil if the fields are empty.
    public var position: Position?
    /// The best of the mode letters, one per constellation; nil if the field is empty.
    public var mode: FAAMode?
    /// Satellites used, 0 ... 99.
    public var satellitesUsed: UInt8?
    /// Horizontal dilution of precision as reported.
    @Reported public var hdop: Double?
    /// Metres above mean sea level.
    @Reported public var altitude: Double?
    /// Metres from the ellipsoid up to the geoid.
    @Reported public var geoidSeparation: Double?
    /// Seconds since the last differential correction.
    @Reported public var correctionAge: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        position = reader.position(body)
        mode = reader.bestMode(body)
        satellitesUsed = reader.byte(body)
        guard !reader.atEnd(body) else { return nil }
        hdop = reader.decimal(body)
        altitude = reader.decimal(body)
        geoidSeparation = reader.decimal(body)
        correctionAge = reader.decimal(body)
    }
}
