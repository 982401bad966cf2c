/// A decimal number of any length as it stands in a sentence: exact, before it is scaled.
///
/// At most 9 digits before the point count, more make it no number; behind it those beyond the ninth are cut.
struct Decimal {
    /// The digits before the point.
    let whole: Int64
    /// The digits behind it, in units of 1 over ``scale``.
    let fraction: Int64
    /// Digits behind the point, 0 ... 9.
    let fractionDigits: Int
    /// Whether a minus sign stood before it.
    let isNegative: Bool

    /// Reads a whole field; nil where it is empty or holds anything but a number.
    init?(_ body: RawSpan, _ field: Range<Int>) {
        guard !field.isEmpty else { return nil }
        let sign = body.byte(at: field.lowerBound)
        isNegative = sign == UInt8(ascii: "-")
        let isSigned = isNegative || sign == UInt8(ascii: "+")
        let digits = DigitRun(body, isSigned ? field.dropFirst() : field)
        let rest = digits.end..<field.upperBound
        guard digits.count <= 9, rest.isEmpty || body.byte(at: rest.lowerBound) == UInt8(ascii: ".") else { return nil }
        let behind = DigitRun(body, rest.dropFirst())
        guard behind.end == field.upperBound, digits.count + behind.count > 0 else { return nil }
        whole = digits.value
        fraction = behind.value
        fractionDigits = min(behind.count, 9)
    }

    /// The number.
    var value: Double {
        let scale = Decimal.powerOfTen(fractionDigits)
        let size = Double(whole * scale + fraction) / Double(scale)
        return isNegative ? -size : size
    }

    /// The fraction in units of 10 to the power of -9.
    var billionths: Int64 { fraction * Decimal.powerOfTen(9 - fractionDigits) }

    /// 10 to the power of 0 ... 9.
    static func powerOfTen(_ exponent: Int) -> Int64 {
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
