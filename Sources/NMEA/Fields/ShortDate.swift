import Chronology

/// `ddmmyy`: a day whose century the sentence leaves open.
public struct ShortDate: Sendable, Hashable {
    /// 0 ... 99.
    public var year: UInt8
    /// 1 ... 12.
    public var month: UInt8
    /// 1 ... 31.
    public var day: UInt8

    /// The day in the century that NMEA receivers live in: 69 and later are 19yy (GPS began in 1980), earlier ones 20yy. Nil for 31 February.
    public var civil: CivilDate? {
        CivilDate(year: year < 69 ? 2000 + Int(year) : 1900 + Int(year), month: Int(month), day: Int(day))
    }
}

extension FieldReader {
    /// `ddmmyy`; nil where empty or impossible. A negative or longer number (Telit HE910 sends a year of -1) is impossible.
    @inline(__always)
    mutating func date(_ body: RawSpan) -> ShortDate? {
        guard let stated = number(body), !stated.isNegative, stated.whole <= 311_299 else { return nil }
        let number = UInt32(stated.whole)
        let date = ShortDate(year: UInt8(number % 100), month: UInt8(number / 100 % 100), day: UInt8(number / 10_000))
        return (1...12).contains(date.month) && (1...31).contains(date.day) ? date : nil
    }
}
