/// The state of a Teseo receiver's antenna (`PSTMANTENNASTATUS`; ST UM2229). Only a line of a good antenna has been seen here; the codes for
/// open and short are those of the manual as the author of this file knows it.
public struct PSTMANTENNASTATUS: Sendable {
    /// 0 good, 1 open, 2 shorted; nil for any other.
    public var antenna: TXT.Antenna?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        guard !reader.atEnd(body) else { return nil }
        switch reader.byte(body) {
        case 0: antenna = .good
        case 1: antenna = .open
        case 2: antenna = .short
        default: antenna = nil
        }
    }
}
