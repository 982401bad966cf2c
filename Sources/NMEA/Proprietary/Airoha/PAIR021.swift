/// Chip and firmware of an Airoha receiver, sent at start and as the answer to `PAIR020` and `PAIR021` (Quectel LC29H protocol specification
/// 1.1; REYAX "RYS352x PAIR command guide").
public struct PAIR021: Sendable {
    /// "AG3352Q_V2.3.0.AG3352_20230213".
    public var release: ShortText

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        let name = reader.field(body)
        guard !name.isEmpty else { return nil }
        release = ShortText(body, name)
    }
}
