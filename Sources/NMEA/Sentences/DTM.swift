/// The datum of the positions (NMEA 0183 DTM). Empty without a fix.
public struct DTM: Sendable {
    /// Whether the datum is WGS-84; nil if empty. True for `W84`, and for `999` (user defined),
    /// which receivers send without offsets.
    public var isWGS84: Bool?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        let name = reader.field(body)
        guard !name.isEmpty else { return }
        let text = ShortText(body, in: name)
        isWGS84 = text.contains("W84") || text.contains("999") || text.contains("WGS")
    }
}
