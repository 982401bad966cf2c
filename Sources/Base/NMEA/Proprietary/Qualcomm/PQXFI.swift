/// Estimated errors of a Qualcomm modem, such as in EC25 and SIM7600 (`PQXFI`; header of Qualcomm's
/// GNSS engine). The position repeats that of GGA and is not decoded.
public struct PQXFI: Sendable {
    /// UTC of the fix with these errors.
    public var time: TimeOfDay?
    /// Horizontal error in metres: the root of the summed squares of the 68 % errors along both
    /// axes.
    @Reported public var horizontalError: Double?
    /// Vertical error in metres, 68 %.
    @Reported public var verticalError: Double?
    /// Error of the velocity in metres per second.
    @Reported public var speedError: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        reader.skip(body, count: 5)
        guard !reader.atEnd(body) else { return nil }
        horizontalError = reader.decimal(body)
        verticalError = reader.decimal(body)
        speedError = reader.decimal(body)
    }
}
