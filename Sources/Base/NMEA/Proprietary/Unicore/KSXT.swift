/// Position and heading of two antennas of a Unicore receiver (`KSXT`; layout of published
/// decoders). Only the heading is decoded: the position repeats that of GGA.
public struct KSXT: Sendable {
    /// Degrees clockwise from true north.
    @Reported public var heading: Double?
    /// The quality of the heading: 0 none, 1 single point, 2 float, 3 fixed.
    public var headingQuality: UInt8?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        reader.skip(body, count: 4)
        heading = reader.decimal(body)
        reader.skip(body, count: 5)
        guard !reader.atEnd(body) else { return nil }
        headingQuality = reader.byte(body)
    }
}
