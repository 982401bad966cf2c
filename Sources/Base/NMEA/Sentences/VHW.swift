/// Heading of a compass, beside the speed through water (NMEA 0183 VHW). The speed is not decoded.
public struct VHW: Sendable {
    /// Degrees clockwise from true north.
    @Reported public var trueHeading: Double?
    /// Degrees clockwise from magnetic north.
    @Reported public var magneticHeading: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        trueHeading = reader.decimal(body)
        reader.letter(body)
        magneticHeading = reader.decimal(body)
    }
}
