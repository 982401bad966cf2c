/// Product and firmware of a Unicore receiver, sent at start and as the answer to `PDTINFO` (the capture `unicore-um621`).
public struct PDTINFO: Sendable {
    /// Product, configuration, hardware, firmware and numbers, with commas between: "UM621-02,G1B1L1E1,V1.2,R6.0.0.0Build2810,...".
    public var text: ShortText

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        guard reader.at < body.byteCount else { return nil }
        text = ShortText(body, reader.at..<body.byteCount)
    }
}
