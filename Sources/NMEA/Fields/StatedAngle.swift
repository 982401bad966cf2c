/// `ddmm.mmmm` or `dddmm.mmmm`, split in whole numbers: 8 decimals of a minute are a millimetre and would suffer in a Double of dddmm.mm.
struct StatedAngle {
    /// Whole degrees.
    private let degrees: Int64
    /// Minutes, in units of 10 to the power of -9.
    let billionths: Int64
    /// Fraction digits of the minutes, 0 ... 9.
    let decimals: UInt8

    /// In degrees.
    @inline(__always)
    var value: Double { Double(degrees) + Double(billionths) / 60e9 }

    /// Reads up to five digits, a point and one to seven digits, as nearly all are; nil, and nothing passed over, where they are not.
    @inline(__always)
    init?(short body: RawSpan, _ reader: inout FieldReader) {
        let first = DigitWord(reader.window(body))
        let width = first.width
        let behind = FieldReader(at: reader.at &+ Int(truncatingIfNeeded: width >> 3) &+ 1)
        guard first.byte(above: width) == UInt8(ascii: "."), 8...40 ~= width else { return nil }
        let second = DigitWord(behind.window(body))
        let fraction = second.width
        guard second.byte(above: fraction) == UInt8(ascii: ","), fraction > 0 else { return nil }
        // Hundreds, tens and ones of a degree and of a minute, moved to the upper end.
        let pairs = DigitWord.pairs(of: first.digits &<< (64 &- width))
        degrees = Int64(truncatingIfNeeded: (pairs >> 16 & 0xFF) &* 100 &+ (pairs >> 32 & 0xFF))
        billionths = Int64(truncatingIfNeeded: pairs >> 48 & 0xFF) &* 1_000_000_000 &+ second.fraction(fraction) &* 10
        decimals = UInt8(truncatingIfNeeded: fraction >> 3)
        reader.at = behind.at &+ Int(truncatingIfNeeded: fraction >> 3) &+ 1
    }

    /// Reads any other; nil where it is no angle.
    init?(long body: RawSpan, _ reader: inout FieldReader) {
        guard let number = reader.number(body), !number.isNegative else { return nil }
        degrees = number.whole / 100
        billionths = number.whole % 100 * 1_000_000_000 + number.billionths
        decimals = UInt8(number.fractionDigits)
    }
}
