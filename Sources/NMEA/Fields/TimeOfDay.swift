/// `hhmmss.sss` as GGA and others carry it: UTC without a day.
public struct TimeOfDay: Sendable, Hashable, Comparable {
    /// Milliseconds since midnight, 0 ... 86,400,999: 24:00:00 and the leap second 23:59:60 occur.
    public var milliseconds: Int

    /// A time of day by its milliseconds.
    public init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    public static func < (a: TimeOfDay, b: TimeOfDay) -> Bool { a.milliseconds < b.milliseconds }
}

extension FieldReader {
    /// `hhmmss`, `hhmmss.s` to `hhmmss.sssssssss`; nil where empty or impossible. Rounded to the millisecond.
    @inline(__always)
    mutating func time(_ body: RawSpan) -> TimeOfDay? {
        guard let scan = number(body), !scan.isNegative else { return nil }
        let clock = Int(scan.whole)
        let hour = clock / 10_000
        let minute = clock / 100 % 100
        let second = clock % 100
        guard hour <= 24, minute < 60, second <= 60, hour < 24 || clock == 240_000 else { return nil }
        let scale = scan.scale
        let fraction = scan.mantissa - scan.whole * scale
        let milliseconds = Int((fraction * 1000 + scale / 2) / scale)
        return TimeOfDay(milliseconds: ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds)
    }
}
