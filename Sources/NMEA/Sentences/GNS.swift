/// Fix data of a receiver of several constellations (NMEA 0183 GNS).
///
/// Trimble sends one for all (`GNGNS`) and one for each constellation without a position.
public struct GNS: Sendable {
    /// UTC of the fix.
    public var time: TimeOfDay?
    /// Nil where the fields are empty.
    public var position: Position?
    /// The best of the letters, one for each constellation; nil where the field is empty.
    public var mode: FAAMode?
    /// Satellites used, 0 ... 99.
    public var satellitesUsed: UInt8?
    /// Horizontal dilution of precision as stated.
    @Stated public var hdop: Double?
    /// Metres above mean sea level.
    @Stated public var altitude: Double?
    /// Metres from the ellipsoid up to the geoid.
    @Stated public var geoidSeparation: Double?
    /// Seconds since the last differential correction.
    @Stated public var correctionAge: Double?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
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
