/// Expected errors of a SiRFstar IV or V receiver's position (`PSRFEPE`; Wuerth "Erinome-I user manual" 1.8). SiRF does not say at which
/// probability.
public struct PSRFEPE: Sendable {
    /// UTC of the fix that the errors belong to.
    public var time: TimeOfDay?
    /// `A` true, `V` false.
    public var isValid: Bool?
    /// Metres.
    @Stated public var horizontal: Double?
    /// Metres.
    @Stated public var vertical: Double?
    /// Metres per second, horizontal.
    @Stated public var speed: Double?
    /// Degrees; 180 where it knows nothing.
    @Stated public var course: Double?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        time = reader.time(body)
        isValid = reader.status(body)
        reader.skip(body)
        guard !reader.atEnd(body) else { return nil }
        horizontal = reader.decimal(body)
        vertical = reader.decimal(body)
        speed = reader.decimal(body)
        course = reader.decimal(body)
    }
}
