// Wrapping arithmetic: offsets and digits of a field are bounded by the length of a sentence,
// and this code runs for every field.

/// A decimal number that fits into eight bytes, including its point and the following comma. Nearly
/// all speeds, altitudes and DOPs do.
struct ShortDecimal {
    /// The number.
    let value: Double
    /// The number of bytes before the comma.
    let byteCount: Int

    /// Parses eight bytes; nil if they do not contain such a number.
    @inline(__always)
    init?(_ word: EightByteDigits) {
        let point = word.leadingDigitBits
        let mark = word.byte(above: point)
        if mark == UInt8(ascii: ",") && point > 0 {
            byteCount = Int(truncatingIfNeeded: point >> 3)
            value = Double(word.integer(bits: point))
            return
        }
        let after = word.nonDigitMask & (word.nonDigitMask &- 1)
        let comma = UInt64(truncatingIfNeeded: after.trailingZeroBitCount) & ~7
        guard mark == UInt8(ascii: "."), word.byte(above: comma) == UInt8(ascii: ","), comma > 8 else { return nil }
        // Remove the point: join the digits before and after it.
        let whole: UInt64 = (1 &<< point) &- 1
        let joined = (word.digits & whole) | (word.digits >> 8 & ~whole)
        byteCount = Int(truncatingIfNeeded: comma >> 3)
        value = Double(EightByteDigits.value(of: joined &<< (72 &- comma))) / ShortDecimal.scale((comma &- point) >> 3)
    }

    /// Returns 10 to the power of `bytes` - 1, because `bytes` includes the point.
    @inline(__always)
    private static func scale(_ bytes: UInt64) -> Double {
        switch bytes {
        case 1: 1
        case 2: 10
        case 3: 100
        case 4: 1000
        case 5: 10_000
        case 6: 100_000
        default: 1_000_000
        }
    }
}
