/// True heading and status (NMEA 0183 THS). It replaces HDT.
public struct THS: Sendable {
    /// Degrees clockwise from true north.
    @Reported public var heading: Double?
    /// The mode letter; nil if empty or unknown.
    public var mode: FAAMode?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        heading = reader.decimal(body)
        mode = reader.mode(body)
    }

    /// True for `A` autonomous, `E` estimated, `M` manual and `S` simulator, false for `V`, nil if
    /// empty or unknown.
    public var isValid: Bool? { mode.map { $0 != .none } }
}
