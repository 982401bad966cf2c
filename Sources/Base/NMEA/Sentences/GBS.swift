/// Satellite fault detection: expected errors of the position (NMEA 0183 GBS).
public struct GBS: Sendable {
    /// UTC of the fix with these errors.
    public var time: TimeOfDay?
    /// Latitude error in metres, one sigma.
    @Reported public var latitudeError: Double?
    /// Longitude error in metres, one sigma.
    @Reported public var longitudeError: Double?
    /// Altitude error in metres, one sigma.
    @Reported public var altitudeError: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        guard !reader.atEnd(body) else { return nil }
        latitudeError = reader.decimal(body)
        longitudeError = reader.decimal(body)
        altitudeError = reader.decimal(body)
    }
}
