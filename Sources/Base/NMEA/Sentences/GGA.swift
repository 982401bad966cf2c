/// Global positioning system fix data: position, quality, HDOP and altitude (NMEA 0183 GGA).
public struct GGA: Sendable {
    /// UTC of the fix; nil if the receiver does not know it yet.
    public var time: TimeOfDay?
    /// The position; nil if the fields are empty.
    public var position: Position?
    /// Field 6: 0 none, 1 autonomous, 2 differential, 3 PPS, 4 RTK fixed, 5 RTK float, 6 estimated,
    /// 7 manual, 8 simulator, 9 (NovAtel) SBAS.
    public var quality: UInt8?
    /// Satellites used; many receivers report at most 12.
    public var satellitesUsed: UInt8?
    /// Horizontal dilution of precision as reported, including 99.99.
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
        quality = reader.byte(body)
        satellitesUsed = reader.byte(body)
        guard !reader.atEnd(body) else { return nil }
        hdop = reader.decimal(body)
        altitude = reader.decimal(body)
        reader.letter(body)
        geoidSeparation = reader.decimal(body)
        reader.letter(body)
        correctionAge = reader.decimal(body)
    }
}
