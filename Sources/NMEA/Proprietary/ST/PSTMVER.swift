/// A version that a Teseo receiver tells at start and as the answer to `PSTMGETSWVER` (`PSTMVER`; ST UM2229).
public struct PSTMVER: Sendable {
    /// "GNSSLIB_7.1.1.15_ARM", "BINIMG_4.6.8.5_ARM", "STA80XX_0x622BC043"; on STA2058 "GPS Version 4.20.5 Release ARM (...)".
    public var text: ShortText

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        guard reader.at < body.byteCount else { return nil }
        text = ShortText(body, reader.field(body))
    }
}
