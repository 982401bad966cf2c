/// The baseline from the base to the rover (`PSTI,032`; SkyTraq application note AN0028; the capture `skytraq-PX1172RH_DS`). It is no
/// position: it plays no part in a fix.
public struct PSTI032: Sendable {
    /// UTC of the fix.
    public var time: TimeOfDay?
    /// `A` true, `V` false.
    public var isValid: Bool?
    /// Mode letter, `F` or `R` where the baseline holds.
    public var mode: FAAMode?
    /// Metres.
    @Stated public var east: Double?
    /// Metres.
    @Stated public var north: Double?
    /// Metres.
    @Stated public var up: Double?
    /// Metres.
    @Stated public var length: Double?
    /// Degrees clockwise from true north.
    @Stated public var course: Double?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        time = reader.time(body)
        reader.skip(body)
        isValid = reader.status(body)
        mode = reader.mode(body)
        east = reader.decimal(body)
        north = reader.decimal(body)
        up = reader.decimal(body)
        guard !reader.atEnd(body) else { return nil }
        length = reader.decimal(body)
        course = reader.decimal(body)
    }
}
