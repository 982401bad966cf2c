/// Accuracy and integrity of the position (IEC 61162-1 GFA; layout of the NavCom manual). The
/// protection levels and the integrity letters are not decoded: a protection level is no accuracy.
public struct GFA: Sendable {
    /// UTC of the fix with these errors.
    public var time: TimeOfDay?
    /// Error along the semi-major axis of the error ellipse in metres, one sigma.
    @Reported public var semiMajorError: Double?
    /// Error along the semi-minor axis of the error ellipse in metres, one sigma.
    @Reported public var semiMinorError: Double?
    /// Altitude error in metres, one sigma.
    @Reported public var altitudeError: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        reader.skip(body, count: 2)
        semiMajorError = reader.decimal(body)
        semiMinorError = reader.decimal(body)
        reader.skip(body)
        guard !reader.atEnd(body) else { return nil }
        altitudeError = reader.decimal(body)
    }
}
