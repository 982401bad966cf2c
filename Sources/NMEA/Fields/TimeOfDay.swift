/// `hhmmss.sss` as GGA and others carry it: UTC without a day.
public struct TimeOfDay: Sendable, Hashable, Comparable {
    /// Milliseconds since midnight, 0 ... 86,400,999: 24:00:00 and the leap second 23:59:60 occur.
    public var milliseconds: Int { Int(stored) }
    private var stored: Int32

    /// A time of day by its milliseconds; what no day holds is clamped.
    public init(milliseconds: Int) {
        stored = Int32(min(max(milliseconds, 0), 86_400_999))
    }

    /// A time of day that is known to lie within it.
    @inline(__always)
    fileprivate init(inDay milliseconds: Int) {
        stored = Int32(truncatingIfNeeded: milliseconds)
    }

    /// Earlier in the day.
    public static func < (a: TimeOfDay, b: TimeOfDay) -> Bool { a.milliseconds < b.milliseconds }
}

extension FieldReader {
    /// `hhmmss`, `hhmmss.s` to `hhmmss.sssssssss`; nil where empty or impossible. Rounded to the millisecond.
    mutating func time(_ body: RawSpan) -> TimeOfDay? {
        let word = DigitWord(window(body))
        let (hour, minute, second) = word.pairs
        // Six digits and a point, and up to three digits more.
        let behind = FieldReader(at: at &+ 7)
        let fraction = DigitWord(behind.window(body))
        let width = fraction.width
        guard word.width == 48, word.byte(above: 48) == UInt8(ascii: "."), hour < 24, minute < 60, second < 60, width <= 24,
            fraction.byte(above: width) == UInt8(ascii: ",")
        else { return anyTime(body) }
        at = behind.at &+ Int(truncatingIfNeeded: width >> 3) &+ 1
        let milliseconds = Int(truncatingIfNeeded: fraction.fraction(width)) / 100_000
        return TimeOfDay(inDay: ((Int(hour) &* 60 &+ Int(minute)) &* 60 &+ Int(second)) &* 1000 &+ milliseconds)
    }

    /// A time written in another way: without zeros in front, or with more decimals, or at the end of a day.
    private mutating func anyTime(_ body: RawSpan) -> TimeOfDay? {
        guard let number = number(body), !number.isNegative else { return nil }
        let clock = Int(number.whole)
        let hour = clock / 10_000
        let minute = clock / 100 % 100
        let second = clock % 100
        guard hour <= 24, minute < 60, second <= 60, hour < 24 || clock == 240_000 else { return nil }
        return TimeOfDay(milliseconds: ((hour * 60 + minute) * 60 + second) * 1000 + Int((number.billionths + 500_000) / 1_000_000))
    }
}
