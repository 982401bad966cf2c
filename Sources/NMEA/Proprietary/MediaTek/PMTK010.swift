/// What a MediaTek receiver's system does (`PMTK010`; GlobalTop "PMTK command packet", revision A08).
public struct PMTK010: Sendable {
    /// 0 unknown, 1 it has started, 2 it asks the host for aiding data, 3 normal.
    public var state: UInt8

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        guard let state = reader.byte(body) else { return nil }
        self.state = state
    }
}
