/// A decimal number that stands, with its point and the comma behind it, in eight bytes: nearly every speed, altitude and DOP does.
struct ShortDecimal {
    /// The number.
    let value: Double
    /// Bytes before the comma.
    let length: Int

    /// Reads eight bytes; nil where they are no such number.
    @inline(__always)
    init?(_ word: DigitWord) {
        let point = word.width
        let mark = word.byte(above: point)
        if mark == UInt8(ascii: ",") && point > 0 {
            length = Int(truncatingIfNeeded: point >> 3)
            value = Double(word.number(point))
            return
        }
        let after = word.others & (word.others &- 1)
        let comma = UInt64(truncatingIfNeeded: after.trailingZeroBitCount) & ~7
        guard mark == UInt8(ascii: "."), word.byte(above: comma) == UInt8(ascii: ","), comma > 8 else { return nil }
        // The digits on both sides, moved together over the point.
        let whole: UInt64 = (1 &<< point) &- 1
        let joined = (word.digits & whole) | (word.digits >> 8 & ~whole)
        length = Int(truncatingIfNeeded: comma >> 3)
        value = Double(DigitWord.value(of: joined &<< (72 &- comma))) / ShortDecimal.scale((comma &- point) >> 3)
    }

    /// 10 to the power of one less than `bytes`, which counts the point.
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
