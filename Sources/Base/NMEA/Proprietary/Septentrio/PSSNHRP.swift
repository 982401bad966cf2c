/// Heading, roll and pitch of a Septentrio receiver (`PSSN,HRP`; layout of published decoders).
/// Roll and pitch are not decoded.
public struct PSSNHRP: Sendable {
    /// UTC of the heading.
    public var time: TimeOfDay?
    /// Degrees clockwise from true north.
    @Reported public var heading: Double?
    /// Standard deviation of the heading in degrees.
    @Reported public var headingError: Double?
    /// How the attitude was determined; 0 without one.
    public var mode: UInt8?

    /// Decodes the fields after the name.
    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        reader.skip(body)
        heading = reader.decimal(body)
        reader.skip(body, count: 2)
        headingError = reader.decimal(body)
        reader.skip(body, count: 3)
        guard !reader.atEnd(body) else { return nil }
        mode = reader.byte(body)
    }
}
