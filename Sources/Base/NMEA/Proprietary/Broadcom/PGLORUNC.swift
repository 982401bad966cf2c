/// Uncertainties of a Broadcom or Sony receiver (`PGLOR` with the name `UNC`; Broadcom's interface
/// description in Epson's driver package for the GPS 20.23.5685.18).
public struct PGLORUNC: Sendable {
    /// UTC of the uncertainties.
    public var time: TimeOfDay?
    /// Horizontal uncertainty in metres, one sigma.
    @Reported public var horizontalError: Double?
    /// Vertical uncertainty in metres, one sigma.
    @Reported public var verticalError: Double?
    /// Root mean square error of the speed in metres per second.
    @Reported public var speedError: Double?
    /// Root mean square error of the course in degrees.
    @Reported public var courseError: Double?
    /// Semi-major axis of the error ellipse in metres, one sigma.
    @Reported public var semiMajorError: Double?
    /// Semi-minor axis of the error ellipse in metres, one sigma.
    @Reported public var semiMinorError: Double?

    /// Decodes the fields after the name.
    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        reader.skip(body)
        guard !reader.atEnd(body) else { return nil }
        horizontalError = reader.decimal(body)
        verticalError = reader.decimal(body)
        speedError = reader.decimal(body)
        courseError = reader.decimal(body)
        semiMajorError = reader.decimal(body)
        semiMinorError = reader.decimal(body)
    }
}
