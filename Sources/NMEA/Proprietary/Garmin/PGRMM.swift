/// The map datum that a Garmin receiver's positions refer to, by its name (`PGRMM`; Garmin 190-00684-00).
public struct PGRMM: Sendable {
    /// "WGS 84", "NAD27 Canada".
    public var datum: ShortText

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        let name = reader.field(body)
        guard !name.isEmpty else { return nil }
        datum = ShortText(body, name)
    }

    /// Whether it is WGS-84.
    public var isWGS84: Bool { datum.contains("WGS 84") || datum.contains("WGS84") }
}
