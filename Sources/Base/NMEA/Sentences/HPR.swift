/// Heading, pitch and roll of two antennas (`GPHPR`, `GNHPR`; ComNav OEM board reference manual,
/// 4.3.1.2.6). It is not part of NMEA 0183. Pitch and roll are not decoded.
public struct HPR: Sendable {
    /// UTC of the heading.
    public var time: TimeOfDay?
    /// Degrees clockwise from true north.
    @Reported public var heading: Double?
    /// The quality of the vector between the antennas, with the values of GGA: 4 RTK fixed, 5 RTK
    /// float.
    public var quality: UInt8?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        heading = reader.decimal(body)
        reader.skip(body, count: 2)
        guard !reader.atEnd(body) else { return nil }
        quality = reader.byte(body)
    }
}
