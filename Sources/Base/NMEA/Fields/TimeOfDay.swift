import Chronology

// Wrapping arithmetic: offsets and digits of a field are bounded by the length of a sentence,
// and this code runs for every field.

/// A UTC time of day, `hhmmss.sss` in GGA and other sentences.
public struct TimeOfDay: Sendable, Hashable, Comparable {
    /// Milliseconds since midnight, 0 ... 86,400,999. The range includes 24:00:00 and the leap
    /// second 23:59:60.
    public var milliseconds: Int { Int(storedMilliseconds) }
    private var storedMilliseconds: Int32

    /// Creates a time of day from milliseconds; clamps values outside the day.
    public init(milliseconds: Int) {
        storedMilliseconds = Int32(min(max(milliseconds, 0), 86_400_999))
    }

    /// Creates a time of day without a range check.
    @inline(__always)
    fileprivate init(inDay milliseconds: Int) {
        storedMilliseconds = Int32(truncatingIfNeeded: milliseconds)
    }

    /// Returns whether `a` is earlier in the day than `b`.
    public static func < (a: TimeOfDay, b: TimeOfDay) -> Bool { a.milliseconds < b.milliseconds }
}

extension FieldReader {
    /// Parses `hhmmss`, or `hhmmss.s` to `hhmmss.sssssssss`, rounded to the millisecond; nil if
    /// empty or invalid.
    mutating func time(_ body: RawSpan) -> TimeOfDay? {
        let word = EightByteDigits(nextEightBytes(body))
        let clock = word.pairs
        // Fast path: six digits, a point and up to three digits.
        let fractionReader = FieldReader(at: offset &+ 7)
        let fraction = EightByteDigits(fractionReader.nextEightBytes(body))
        let width = fraction.leadingDigitBits
        guard word.leadingDigitBits == 48, word.byte(above: 48) == UInt8(ascii: "."), clock.first < 24,
            clock.second < 60, clock.third < 60, width <= 24, fraction.byte(above: width) == UInt8(ascii: ",")
        else { return timeInAnyForm(body) }
        offset = fractionReader.offset &+ Int(truncatingIfNeeded: width >> 3) &+ 1
        let milliseconds = Int(truncatingIfNeeded: fraction.fraction(bits: width)) / 100_000
        return TimeOfDay(
            inDay: ((Int(clock.first) &* 60 &+ Int(clock.second)) &* 60 &+ Int(clock.third)) &* 1000 &+ milliseconds)
    }

    /// Parses the other forms: without leading zeros, with more decimals, or at the end of a day.
    private mutating func timeInAnyForm(_ body: RawSpan) -> TimeOfDay? {
        guard let number = number(body), !number.isNegative else { return nil }
        let digits = Int(number.whole)
        let hour = digits / 10_000
        let minute = digits / 100 % 100
        let second = digits % 100
        guard hour <= 24, minute < 60, second <= 60, hour < 24 || digits == 240_000 else { return nil }
        return TimeOfDay(
            milliseconds: ((hour * 60 + minute) * 60 + second) * 1000
                + Int((number.fractionInBillionths + 500_000) / 1_000_000))
    }
}

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
