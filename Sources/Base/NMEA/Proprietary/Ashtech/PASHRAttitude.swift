/// Attitude of an inertial system (`PASHR` with a time as its first field; NovAtel OEM7 and Trimble
/// manuals; capture `rst39`). Roll, pitch and heave are not decoded.
public struct PASHRAttitude: Sendable {
    /// UTC of the heading.
    public var time: TimeOfDay?
    /// Degrees clockwise from true north.
    @Reported public var heading: Double?
    /// Standard deviation of the heading in degrees.
    @Reported public var headingError: Double?

    /// Decodes the fields after the time.
    init?(_ body: RawSpan, time: TimeOfDay, reader: inout FieldReader) {
        self.time = time
        heading = reader.decimal(body)
        guard reader.letter(body) == UInt8(ascii: "T") else { return nil }
        reader.skip(body, count: 5)
        guard !reader.atEnd(body) else { return nil }
        headingError = reader.decimal(body)
    }
}
