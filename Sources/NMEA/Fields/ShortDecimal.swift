/// A decimal number that stands, with its point and the comma behind it, in eight bytes: nearly every speed, altitude and DOP does.
struct ShortDecimal {
    /// The number.
    let value: Double
    /// Bytes before the comma.
    let length: Int

    /// Reads eight bytes, the first in the lowest; nil where they are no such number.
    @inline(__always)
    init?(_ word: UInt64) {
        let digits = word ^ 0x3030_3030_3030_3030
        // Neither a point nor a comma carries into the byte above it, so the mark after a point is as exact as the point's own.
        let others = ((digits &+ 0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
        guard others != 0 else { return nil }
        let point = UInt64(others.trailingZeroBitCount) & ~7
        let mark = UInt8(truncatingIfNeeded: word >> point)
        if mark == UInt8(ascii: ",") && point > 0 {
            length = Int(point >> 3)
            value = Double(DigitRun.value(of: digits << (64 &- point)))
            return
        }
        let after = others & (others &- 1)
        guard mark == UInt8(ascii: "."), after != 0 else { return nil }
        let comma = UInt64(after.trailingZeroBitCount) & ~7
        guard UInt8(truncatingIfNeeded: word >> comma) == UInt8(ascii: ","), comma > 8 else { return nil }
        // The digits on both sides, moved together over the point.
        let before = digits & ((1 << point) &- 1)
        let behind = (digits >> 8) & ~((1 << point) &- 1)
        let mantissa = DigitRun.value(of: (before | behind) << (72 &- comma))
        length = Int(comma >> 3)
        value = Double(mantissa) / Decimal.powerOfTen((comma &- point) >> 3 &- 1)
    }
}
