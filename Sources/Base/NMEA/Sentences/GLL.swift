/// Geographic position (NMEA 0183 GLL). The form before 2.0 has only the position.
public struct GLL: Sendable {
    /// The position; nil if the fields are empty.
    public var position: Position?
    /// UTC of the fix; nil in the old form.
    public var time: TimeOfDay?
    /// True for `A` and `D`, false for `V`, nil in the old form.
    public var isValid: Bool?
    /// Mode letter, added in NMEA 2.3; differential for the status `D` without one.
    public var mode: FAAMode?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        position = reader.position(body)
        if position == nil && reader.atEnd(body) { return nil }
        time = reader.time(body)
        let status = reader.offset
        isValid = reader.status(body)
        mode = reader.mode(body, afterStatusAt: status)
    }
}
