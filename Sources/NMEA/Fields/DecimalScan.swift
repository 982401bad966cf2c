/// Reads a decimal number as it stands in the sentence: an exact mantissa and the number of its fraction digits.
///
/// Kept exact so that 8 decimals of a minute lose nothing before they are scaled. At most 9 digits on either side of the point count;
/// further fraction digits are passed over, further leading digits make the number invalid.
struct DecimalScan {
    /// All digits as one number.
    private(set) var mantissa: UInt64 = 0
    /// How many of them stand behind the point, 0 ... 9.
    private(set) var fractionDigits = 0
    /// Digits seen.
    private(set) var digits = 0
    private var negative = false

    /// Reads from `offset` to the first byte that does not belong; returns its offset.
    @inline(__always)
    mutating func read(_ body: RawSpan, from offset: Int) -> Int {
        var at = offset
        if at < body.byteCount {
            let sign = body.byte(at: at)
            negative = sign == UInt8(ascii: "-")
            if negative || sign == UInt8(ascii: "+") { at += 1 }
        }
        let first = at
        while at < body.byteCount {
            let digit = body.byte(at: at) &- 48
            guard digit < 10 else { break }
            mantissa = mantissa &* 10 &+ UInt64(digit)
            at += 1
        }
        digits = at - first
        guard digits <= 9, at < body.byteCount, body.byte(at: at) == UInt8(ascii: ".") else {
            if digits > 9 { digits = 0 }
            return at
        }
        return readFraction(body, from: at + 1)
    }

    @inline(__always)
    private mutating func readFraction(_ body: RawSpan, from offset: Int) -> Int {
        var at = offset
        while at < body.byteCount {
            let digit = body.byte(at: at) &- 48
            guard digit < 10 else { break }
            if fractionDigits < 9 {
                mantissa = mantissa &* 10 &+ UInt64(digit)
                fractionDigits += 1
            }
            at += 1
        }
        digits += at - offset
        return at
    }

    /// 10 to the power of ``fractionDigits``.
    var scale: UInt64 { DecimalScan.powerOfTen(fractionDigits) }

    /// The number.
    var value: Double {
        let size = Double(mantissa) / Double(scale)
        return negative ? -size : size
    }

    /// The digits before the point.
    var whole: UInt64 { fractionDigits == 0 ? mantissa : mantissa / scale }

    /// Whether a minus sign stood before it.
    var isNegative: Bool { negative }

    private static func powerOfTen(_ exponent: Int) -> UInt64 {
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
