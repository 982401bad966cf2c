/// Product and firmware of a Unicore receiver, sent at start and in response to `PDTINFO` (capture
/// `unicore-um621`).
public struct PDTINFO: Sendable {
    /// Product, configuration, hardware, firmware and numbers, separated by commas:
    /// "UM621-02,G1B1L1E1,V1.2,R6.0.0.0Build2810,...".
    public var text: ShortText

    init?(_ body: RawSpan, reader: inout FieldReader) {
        guard reader.offset < body.byteCount else { return nil }
        text = ShortText(body, in: reader.offset..<body.byteCount)
    }
}
