import Chronology

/// Time and date, the only sentence with a year of four digits (NMEA 0183 ZDA).
public struct ZDA: Sendable {
    /// UTC.
    public var time: TimeOfDay?
    /// Nil where empty or impossible.
    public var date: CivilDate?

    /// A clock told by another sentence than ZDA.
    public init(time: TimeOfDay?, date: CivilDate?) {
        (self.time, self.date) = (time, date)
    }

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        time = reader.time(body)
        let day = reader.integer(body)
        let month = reader.integer(body)
        guard !reader.atEnd(body) else { return nil }
        let year = reader.integer(body)
        if let day, let month, let year { date = CivilDate(year: year, month: month, day: day) }
    }
}
