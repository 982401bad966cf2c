// Wrapping arithmetic: offsets and digits of a field are bounded by the length of a sentence,
// and this code runs for every field.

/// A decimal number of a sentence in exact form.
///
/// More than 9 digits before the point are invalid. Digits after the ninth decimal are dropped.
struct DecimalField {
    /// The digits before the point.
    let whole: Int64
    /// The digits after the point, in units of 10 to the power of minus ``fractionDigits``.
    let fraction: Int64
    /// The number of digits after the point, 0 ... 9.
    let fractionDigits: Int
    /// Whether the number has a minus sign.
    let isNegative: Bool

    /// Parses a whole field; nil if the field is empty or not a number.
    init?(_ body: RawSpan, in field: Range<Int>) {
        guard !field.isEmpty else { return nil }
        let sign = body.byte(at: field.lowerBound)
        isNegative = sign == UInt8(ascii: "-")
        let isSigned = isNegative || sign == UInt8(ascii: "+")
        let digits = LeadingDigits(body, in: isSigned ? field.dropFirst() : field)
        let rest = digits.end..<field.upperBound
        guard digits.count <= 9, rest.isEmpty || body.byte(at: rest.lowerBound) == UInt8(ascii: ".") else { return nil }
        let decimals = LeadingDigits(body, in: rest.dropFirst())
        guard decimals.end == field.upperBound, digits.count + decimals.count > 0 else { return nil }
        whole = digits.value
        fraction = decimals.value
        fractionDigits = min(decimals.count, 9)
    }

    /// The number as a `Double`.
    var value: Double {
        let scale = DecimalField.powerOfTen(fractionDigits)
        let size = Double(whole * scale + fraction) / Double(scale)
        return isNegative ? -size : size
    }

    /// The fraction in units of 10 to the power of -9.
    var fractionInBillionths: Int64 { fraction * DecimalField.powerOfTen(9 - fractionDigits) }

    /// Returns 10 to the power of `exponent`, 0 ... 9.
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

/// A run of decimal digits of any length.
struct LeadingDigits {
    /// The first nine digits as a number.
    private(set) var value: Int64 = 0
    let count: Int
    /// The offset after the last digit.
    let end: Int

    /// Parses the digits at the start of `range`.
    init(_ body: RawSpan, in range: Range<Int>) {
        var index = range.lowerBound
        while index < range.upperBound, body.byte(at: index) &- 48 < 10 {
            if index - range.lowerBound < 9 { value = value * 10 + Int64(body.byte(at: index) &- 48) }
            index += 1
        }
        end = index
        count = index - range.lowerBound
    }
}
