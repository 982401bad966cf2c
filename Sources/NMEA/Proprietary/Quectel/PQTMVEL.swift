/// Velocity and its accuracy (`PQTMVEL`; Quectel LC26G/76G/86G protocol specification 1.5, and its published examples).
public struct PQTMVEL: Sendable {
    /// UTC.
    public var time: TimeOfDay?
    /// Metres per second over ground.
    @Stated public var speed: Double?
    /// Degrees clockwise from true north.
    @Stated public var heading: Double?
    /// Metres per second.
    @Stated public var speedAccuracy: Double?
    /// Degrees; near 360 at rest.
    @Stated public var headingAccuracy: Double?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        reader.skip(body)
        time = reader.time(body)
        reader.skip(body, 3)
        guard !reader.atEnd(body) else { return nil }
        speed = reader.decimal(body)
        reader.skip(body)
        heading = reader.decimal(body)
        speedAccuracy = reader.decimal(body)
        reader.skip(body)
        headingAccuracy = reader.decimal(body)
    }
}
