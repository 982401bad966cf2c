/// True heading of the vehicle, from a compass or two antennas (NMEA 0183 HDT). Not its course over ground.
public struct HDT: Sendable {
    /// Degrees clockwise from true north.
    @Stated public var heading: Double?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        heading = reader.decimal(body)
    }
}
