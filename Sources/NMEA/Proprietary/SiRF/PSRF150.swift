/// "OK to send": a SiRFstar IV or V receiver wakes or is about to sleep (`PSRF150`; ORG1411 data sheet).
public struct PSRF150: Sendable {
    /// `1` true, it listens; `0` false, it sleeps next.
    public var isReady: Bool

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        switch reader.byte(body) {
        case 1: isReady = true
        case 0: isReady = false
        default: return nil
        }
    }
}
