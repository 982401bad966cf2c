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
    mutating func date(_ body: RawSpan) -> ShortDate? {
        let word = DigitWord(window(body))
        guard word.width == 48, word.byte(above: 48) == UInt8(ascii: ",") else { return anyDate(body) }
        at &+= 7
        let (day, month, year) = word.pairs
        return ShortDate(year: year, month: month, day: day).checked
    }

    /// `mmddyy`, as Trimble writes it; nil where empty or impossible.
    mutating func monthFirstDate(_ body: RawSpan) -> ShortDate? {
        guard let number = integer(body), number <= 123_199 else { return nil }
        return ShortDate(year: UInt8(number % 100), month: UInt8(number / 10_000), day: UInt8(number / 100 % 100)).checked
    }

    /// A date without the zero in front, or none.
    private mutating func anyDate(_ body: RawSpan) -> ShortDate? {
        guard let number = number(body), !number.isNegative, number.whole <= 311_299 else { return nil }
        let whole = Int(number.whole)
        return ShortDate(year: UInt8(whole % 100), month: UInt8(whole / 100 % 100), day: UInt8(whole / 10_000)).checked
    }
}

extension ShortDate {
    /// Nil where no month has such a day.
    fileprivate var checked: ShortDate? { 1...12 ~= month && 1...31 ~= day ? self : nil }
}
