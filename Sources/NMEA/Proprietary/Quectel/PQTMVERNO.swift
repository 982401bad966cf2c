/// Firmware of a Quectel receiver, the answer to `PQTMVERNO` (Quectel LC29H protocol specification 1.1).
public struct PQTMVERNO: Sendable {
    /// "LC29HDANR11A03S_RSA"; "ERROR" where the question was not understood.
    public var version: ShortText

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        let name = reader.field(body)
        guard !name.isEmpty else { return nil }
        version = ShortText(body, name)
    }
}
