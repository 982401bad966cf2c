/// True heading and status (NMEA 0183 THS). It replaces HDT.
public struct THS: Sendable {
    /// Degrees clockwise from true north.
    @Reported public var heading: Double?
    /// True for `A` autonomous, `E` estimated, `M` manual and `S` simulator, false for `V`, nil if
    /// empty.
    public var isValid: Bool?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        heading = reader.decimal(body)
        isValid = reader.letter(body).map { $0 != UInt8(ascii: "V") }
    }
}
