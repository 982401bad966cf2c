/// Release of a MediaTek receiver's firmware, the answer to `PMTK605` (`PMTK705`; GlobalTop "PMTK command packet", revision A08; the capture
/// `mtk-3329`).
public struct PMTK705: Sendable {
    /// Release, build, product and on newer firmware the version of the kit, with commas between: "AXN_2.31_3339_13101700,5632,PA6H,1.0".
    public var text: ShortText

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        guard reader.at < body.byteCount else { return nil }
        text = ShortText(body, reader.at..<body.byteCount)
    }
}
