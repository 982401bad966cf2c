/// A greeting at the start of a MediaTek receiver, `PMTK011,MTKGPS` (GlobalTop "PMTK command packet", revision A08).
public struct PMTK011: Sendable {
    /// "MTKGPS".
    public var text: ShortText

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        guard !reader.atEnd(body) else { return nil }
        text = ShortText(body, reader.at..<body.byteCount)
    }
}
