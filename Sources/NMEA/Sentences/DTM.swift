/// The datum that positions refer to (NMEA 0183 DTM). Empty without a fix.
public struct DTM: Sendable {
    /// Whether the positions are on WGS-84 (`W84`, or `999` for user defined, which receivers send with no offsets); nil where empty.
    public var isWGS84: Bool?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        let name = reader.field(body)
        guard !name.isEmpty else { return }
        let text = ShortText(body, name)
        isWGS84 = text.contains("W84") || text.contains("999") || text.contains("WGS")
    }
}
