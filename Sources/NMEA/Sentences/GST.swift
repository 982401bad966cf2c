/// Pseudorange error statistics: one-sigma errors of the position (NMEA 0183 GST).
///
/// Field 2, the residuals' RMS, is left: u-blox M8 says 1,674 m there on an open sky. So is the ellipse of fields 3 to 5, empty on u-blox
/// most of the time and scaled to 95 % where it is not.
public struct GST: Sendable {
    /// UTC of the fix that the errors belong to.
    public var time: TimeOfDay?
    /// Metres, one sigma.
    @Stated public var latitudeError: Double?
    /// Metres, one sigma.
    @Stated public var longitudeError: Double?
    /// Metres, one sigma.
    @Stated public var altitudeError: Double?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        time = reader.time(body)
        reader.skip(body, 4)
        guard !reader.atEnd(body) else { return nil }
        latitudeError = reader.decimal(body)
        longitudeError = reader.decimal(body)
        altitudeError = reader.decimal(body)
    }
}
