/// Altitude in feet (`PGRMZ`; Garmin 190-00684-00). It may be the barometer's, and FLARM sends the same sentence with pressure altitude: no
/// fix takes its altitude from here.
public struct PGRMZ: Sendable {
    /// Feet.
    @Stated public var altitude: Double?
    /// 1 no fix, 2 the user's altitude, 3 the satellites'.
    public var dimension: UInt8?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        altitude = reader.decimal(body)
        guard !reader.atEnd(body) else { return nil }
        reader.skip(body)
        dimension = reader.byte(body)
    }
}
