/// True heading and status (NMEA 0183 THS), which replaces HDT.
public struct THS: Sendable {
    /// Degrees clockwise from true north.
    @Stated public var heading: Double?
    /// `A` autonomous, `E` estimated, `M` manual, `S` simulator; false for `V`, nil where empty.
    public var isValid: Bool?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        heading = reader.decimal(body)
        isValid = reader.letter(body).map { $0 != UInt8(ascii: "V") }
    }
}
