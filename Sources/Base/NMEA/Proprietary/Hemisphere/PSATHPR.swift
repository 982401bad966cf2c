/// Heading, pitch and roll of two antennas (`PSAT,HPR`; CSI Wireless and Hemisphere manuals). Pitch
/// and roll are not decoded.
public struct PSATHPR: Sendable {
    /// UTC of the heading.
    public var time: TimeOfDay?
    /// Degrees clockwise from true north.
    @Reported public var heading: Double?
    /// Whether a gyroscope keeps the heading (`G`), because the antennas give none (`N` otherwise);
    /// nil if the field is empty.
    public var usesGyroscope: Bool?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        heading = reader.decimal(body)
        reader.skip(body, count: 2)
        guard !reader.atEnd(body) else { return nil }
        usesGyroscope = reader.letter(body).map { $0 == UInt8(ascii: "G") }
    }
}
