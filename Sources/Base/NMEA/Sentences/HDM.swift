/// Magnetic heading of a compass (NMEA 0183 HDM). HDG replaces it.
public struct HDM: Sendable {
    /// Degrees clockwise from magnetic north.
    @Reported public var heading: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        heading = reader.decimal(body)
    }
}
