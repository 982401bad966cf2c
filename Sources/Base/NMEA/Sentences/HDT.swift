/// True heading of the vehicle from a compass or two antennas (NMEA 0183 HDT). It is not the course
/// over ground.
public struct HDT: Sendable {
    /// Degrees clockwise from true north.
    @Reported public var heading: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        heading = reader.decimal(body)
    }
}
