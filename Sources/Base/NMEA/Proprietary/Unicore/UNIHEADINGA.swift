/// Heading between two antennas of a Unicore receiver (`#UNIHEADINGA`; layout of published
/// decoders). Its GPS time is not decoded.
public struct UNIHEADINGA: Sendable {
    /// Degrees clockwise from true north.
    @Reported public var heading: Double?
    /// Standard deviation of the heading in degrees.
    @Reported public var headingError: Double?
    /// Whether the solution is computed and has fixed ambiguities of both frequencies.
    public var isFixed: Bool

    init?(_ body: RawSpan, reader: inout FieldReader) {
        // A semicolon ends the header of nine fields.
        reader.skip(body, count: 8)
        let isComputed = ShortText(body, in: reader.field(body)).contains(";SOL_COMPUTED")
        let hasFixedAmbiguities = ShortText(body, in: reader.field(body)).contains("NARROW_INT")
        isFixed = isComputed && hasFixedAmbiguities
        reader.skip(body)
        heading = reader.decimal(body)
        reader.skip(body, count: 2)
        guard !reader.atEnd(body) else { return nil }
        headingError = reader.decimal(body)
    }
}
