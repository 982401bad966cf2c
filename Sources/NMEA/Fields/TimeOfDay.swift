/// `hhmmss.sss` as GGA and others carry it: UTC without a day.
public struct TimeOfDay: Sendable, Hashable, Comparable {
    /// Milliseconds since midnight, 0 ... 86,400,999: 24:00:00 and the leap second 23:59:60 occur.
    public var milliseconds: Int { Int(stored) }
    private var stored: Int32

    /// A time of day by its milliseconds; what no day holds is clamped.
    public init(milliseconds: Int) {
        stored = Int32(min(max(milliseconds, 0), 86_400_999))
    }

    public static func < (a: TimeOfDay, b: TimeOfDay) -> Bool { a.milliseconds < b.milliseconds }
}

extension FieldReader {
    /// `hhmmss`, `hhmmss.s` to `hhmmss.sssssssss`; nil where empty or impossible. Rounded to the millisecond.
    @inline(__always)
    mutating func time(_ body: RawSpan) -> TimeOfDay? {
        guard let number = number(body), !number.isNegative else { return nil }
        let clock = Int(number.whole)
        let hour = clock / 10_000
        let minute = clock / 100 % 100
        let second = clock % 100
        guard hour <= 24, minute < 60, second <= 60, hour < 24 || clock == 240_000 else { return nil }
        return TimeOfDay(milliseconds: ((hour &* 60 &+ minute) &* 60 &+ second) &* 1000 &+ FieldReader.milliseconds(number))
    }

    /// The fraction in milliseconds, rounded; the usual 0, 2 and 3 digits without a division.
    @inline(__always)
    private static func milliseconds(_ number: Decimal) -> Int {
        switch number.fractionDigits {
        case 0: 0
        case 2: Int(number.fraction &* 10)
        case 3: Int(number.fraction)
        default: Int((number.fraction &* 1000 &+ number.scale / 2) / number.scale)
        }
    }
}
