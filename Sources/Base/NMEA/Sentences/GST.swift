/// Pseudorange error statistics: one-sigma errors of the position (NMEA 0183 GST).
///
/// The decoder ignores field 2, the RMS of the residuals: u-blox M8 reports 1,674 m there under an
/// open sky. On u-blox the error ellipse in fields 3 to 5 is usually empty, otherwise scaled to 95
/// %.
public struct GST: Sendable {
    /// UTC of the fix with these errors.
    public var time: TimeOfDay?
    /// Error along the semi-major axis of the error ellipse in metres; one sigma in the standard.
    @Reported public var semiMajorError: Double?
    /// Error along the semi-minor axis of the error ellipse in metres; one sigma in the standard.
    @Reported public var semiMinorError: Double?
    /// Latitude error in metres, one sigma.
    @Reported public var latitudeError: Double?
    /// Longitude error in metres, one sigma.
    @Reported public var longitudeError: Double?
    /// Altitude error in metres, one sigma.
    @Reported public var altitudeError: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        reader.skip(body)
        semiMajorError = reader.decimal(body)
        semiMinorError = reader.decimal(body)
        reader.skip(body)
        guard !reader.atEnd(body) else { return nil }
        latitudeError = reader.decimal(body)
        longitudeError = reader.decimal(body)
        altitudeError = reader.decimal(body)
    }
}
