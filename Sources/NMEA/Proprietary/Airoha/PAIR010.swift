/// A request for aiding data at start: the receiver's memory of the sky was lost (`PAIR010`; Quectel LC29H protocol specification 1.1).
public struct PAIR010: Sendable {
    /// 0 orbits, 1 time, 2 position.
    public var kind: UInt8
    /// 0 GPS, 1 GLONASS, 2 Galileo, 3 BeiDou, 4 QZSS; nil where it is of none (`-1`).
    public var system: UInt8?
    /// GPS week of what it has.
    public var week: UInt16?
    /// Seconds of that week.
    public var timeOfWeek: Int?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        guard let kind = reader.byte(body) else { return nil }
        self.kind = kind
        system = reader.byte(body)
        week = reader.integer(body).flatMap { UInt16(exactly: $0) }
        timeOfWeek = reader.integer(body)
    }
}
