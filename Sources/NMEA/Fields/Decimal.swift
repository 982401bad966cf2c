/// A decimal number as it stands in a sentence: exact, before it is scaled, so that 8 decimals of a minute lose nothing.
///
/// At most 9 digits before the point count, more make it no number; behind it those beyond the ninth are cut.
struct Decimal {
    /// The digits before the point.
    let whole: UInt64
    /// The digits behind it, in units of 1 over ``scale``.
    let fraction: UInt64
    /// 10 to the power of ``fractionDigits``.
    let scale: UInt64
    /// Digits behind the point, 0 ... 9.
    let fractionDigits: UInt8
    /// Whether a minus sign stood before it.
    let isNegative: Bool

    @inline(__always)
    init(whole: UInt64, fraction: UInt64, fractionDigits: UInt8, isNegative: Bool) {
        self.whole = whole
        self.isNegative = isNegative
        self.fractionDigits = min(fractionDigits, 9)
        scale = Decimal.powerOfTen(self.fractionDigits)
        self.fraction = fractionDigits <= 9 ? fraction : Decimal.cut(fraction, fractionDigits &- 9)
    }

    /// The number.
    @inline(__always)
    var value: Double {
        let size = Double(whole &* scale &+ fraction) / Double(scale)
        return isNegative ? -size : size
    }

    private static func cut(_ fraction: UInt64, _ digits: UInt8) -> UInt64 {
        fraction / powerOfTen(digits)
    }

    /// 10 to the power of 0 ... 9.
    @inline(__always)
    static func powerOfTen(_ exponent: UInt64) -> Double {
        Double(powerOfTen(UInt8(truncatingIfNeeded: exponent)))
    }

    @inline(__always)
    private static func powerOfTen(_ exponent: UInt8) -> UInt64 {
        switch exponent {
        case 0: 1
        case 1: 10
        case 2: 100
        case 3: 1000
        case 4: 10_000
        case 5: 100_000
        case 6: 1_000_000
        case 7: 10_000_000
        case 8: 100_000_000
        default: 1_000_000_000
        }
    }
}
