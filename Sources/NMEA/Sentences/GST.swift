/// Pseudorange error statistics: one-sigma errors of the position (NMEA 0183 GST).
///
/// Field 2, the residuals' RMS, is left: u-blox M8 says 1,674 m there on an open sky. The ellipse of fields 3 to 5 is empty on u-blox most
/// of the time and scaled to 95 % where it is not.
public struct GST: Sendable {
    /// UTC of the fix that the errors belong to.
    public var time: TimeOfDay?
    /// Metres, one sigma by the standard, along the longer axis of the error ellipse.
    @Stated public var semiMajorError: Double?
    /// The same along the shorter axis.
    @Stated public var semiMinorError: Double?
    /// Metres, one sigma.
    @Stated public var latitudeError: Double?
    /// Metres, one sigma.
    @Stated public var longitudeError: Double?
    /// Metres, one sigma.
    @Stated public var altitudeError: Double?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
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
