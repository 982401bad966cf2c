/// Expected errors of a Garmin receiver's position (`PGRME`; Garmin "Proprietary NMEA 0183 Sentences", 190-00684-00). Garmin does not say at
/// which probability.
public struct PGRME: Sendable {
    /// Metres.
    @Stated public var horizontal: Double?
    /// Metres.
    @Stated public var vertical: Double?
    /// Metres, in three dimensions.
    @Stated public var spherical: Double?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        horizontal = reader.decimal(body)
        guard !reader.atEnd(body) else { return nil }
        reader.skip(body)
        vertical = reader.decimal(body)
        reader.skip(body)
        spherical = reader.decimal(body)
    }
}
