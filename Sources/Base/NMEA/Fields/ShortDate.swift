import Chronology

// Wrapping arithmetic: offsets and digits of a field are bounded by the length of a sentence,
// and this code runs for every field.

/// A date without century, `ddmmyy` in a sentence.
public struct ShortDate: Sendable, Hashable {
    /// 0 ... 99.
    public var year: UInt8
    /// 1 ... 12.
    public var month: UInt8
    /// 1 ... 31.
    public var day: UInt8

    /// The full date; nil for a day that does not exist, such as 31 February.
    ///
    /// Years from 69 are 19yy (GPS began in 1980), smaller ones are 20yy.
    public var civilDate: CivilDate? {
        CivilDate(year: year < 69 ? 2000 + Int(year) : 1900 + Int(year), month: Int(month), day: Int(day))
    }
}

extension FieldReader {
    /// Parses `ddmmyy`; nil if empty or invalid. A negative or longer number is invalid (Telit
    /// HE910 sends a year of -1).
    mutating func date(_ body: RawSpan) -> ShortDate? {
        let word = EightByteDigits(nextEightBytes(body))
        guard word.leadingDigitBits == 48, word.byte(above: 48) == UInt8(ascii: ",") else {
            return dateWithoutLeadingZeros(body)
        }
        offset &+= 7
        let pairs = word.pairs
        return ShortDate(year: pairs.third, month: pairs.second, day: pairs.first).validated
    }

    /// Parses `mmddyy`, the format of Trimble; nil if empty or invalid.
    mutating func monthFirstDate(_ body: RawSpan) -> ShortDate? {
        guard let number = integer(body), number <= 123_199 else { return nil }
        return ShortDate(year: UInt8(number % 100), month: UInt8(number / 10_000), day: UInt8(number / 100 % 100))
            .validated
    }

    /// Parses a date without leading zeros; nil if it is not a date.
    private mutating func dateWithoutLeadingZeros(_ body: RawSpan) -> ShortDate? {
        guard let number = number(body), !number.isNegative, number.whole <= 311_299 else { return nil }
        let whole = Int(number.whole)
        return ShortDate(year: UInt8(whole % 100), month: UInt8(whole / 100 % 100), day: UInt8(whole / 10_000))
            .validated
    }

    /// Parses `yyyymmdd`; nil if empty or invalid.
    mutating func fullDate(_ body: RawSpan) -> CivilDate? {
        guard let number = integer(body), number <= 99_991_231 else { return nil }
        return CivilDate(year: number / 10_000, month: number / 100 % 100, day: number % 100)
    }
}

extension ShortDate {
    /// The date itself; nil if no month has such a day.
    fileprivate var validated: ShortDate? { 1...12 ~= month && 1...31 ~= day ? self : nil }
}
