import Chronology

/// Time and date (NMEA 0183 ZDA), the only sentence with a four-digit year.
public struct ZDA: Sendable {
    /// UTC.
    public var time: TimeOfDay?
    /// The date; nil if empty or invalid.
    public var date: CivilDate?

    /// Creates a clock reading from a sentence other than ZDA.
    public init(time: TimeOfDay?, date: CivilDate?) {
        (self.time, self.date) = (time, date)
    }

    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        let day = reader.integer(body)
        let month = reader.integer(body)
        guard !reader.atEnd(body) else { return nil }
        let year = reader.integer(body)
        if let day, let month, let year { date = CivilDate(year: year, month: month, day: day) }
    }
}
