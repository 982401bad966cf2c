/// The clock of a u-blox receiver (`PUBX,04`; u-blox M8 protocol description, NMEA-PUBX-TIME).
public struct PUBX04: Sendable {
    /// UTC, by ``leapSeconds``.
    public var time: TimeOfDay?
    /// Day, month and two digits of the year.
    public var date: ShortDate?
    /// Seconds between GPS time and UTC.
    public var leapSeconds: Int16?
    /// Whether ``leapSeconds`` is what the firmware was made with (`15D`): no satellite has told it yet, and ``time`` may be off by seconds.
    public var isLeapSecondDefault = false

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        time = reader.time(body)
        guard !reader.atEnd(body) else { return nil }
        date = reader.date(body)
        reader.skip(body, 2)
        let field = reader.field(body)
        let digits = DigitRun(body, field)
        guard digits.count > 0 else { return }
        leapSeconds = Int16(exactly: digits.value)
        isLeapSecondDefault = digits.end < field.upperBound && body.byte(at: digits.end) == UInt8(ascii: "D")
    }
}
