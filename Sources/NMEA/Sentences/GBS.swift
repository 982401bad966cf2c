/// Satellite fault detection: expected errors of the position (NMEA 0183 GBS).
public struct GBS: Sendable {
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
        guard !reader.atEnd(body) else { return nil }
        latitudeError = reader.decimal(body)
        longitudeError = reader.decimal(body)
        altitudeError = reader.decimal(body)
    }
}
