// Wrapping arithmetic: offsets and digits of a field are bounded by the length of a sentence,
// and this code runs for every field.

/// An angle `ddmm.mmmm` or `dddmm.mmmm`, split into integers. A `Double` of the whole number would
/// lose precision with 8 decimals of a minute.
struct ReportedAngle {
    /// Whole degrees.
    private let degrees: Int64
    /// Minutes, in units of 10 to the power of -9.
    let minutesInBillionths: Int64
    /// The number of decimals of the minutes, 0 ... 9.
    let decimals: UInt8

    /// The angle in degrees.
    @inline(__always)
    var value: Double { Double(degrees) + Double(minutesInBillionths) / 60e9 }

    /// Parses up to five digits, a point and one to seven digits, the usual form. Nil for any other
    /// form; the reader then stays at the field.
    @inline(__always)
    init?(short body: RawSpan, reader: inout FieldReader) {
        let first = EightByteDigits(reader.nextEightBytes(body))
        let width = first.leadingDigitBits
        let fractionReader = FieldReader(at: reader.offset &+ Int(truncatingIfNeeded: width >> 3) &+ 1)
        guard first.byte(above: width) == UInt8(ascii: "."), 8...40 ~= width else { return nil }
        let second = EightByteDigits(fractionReader.nextEightBytes(body))
        let fractionBits = second.leadingDigitBits
        guard second.byte(above: fractionBits) == UInt8(ascii: ","), fractionBits > 0 else { return nil }
        // Align the digits of degrees and minutes with the upper end of the word.
        let pairs = EightByteDigits.pairs(of: first.digits &<< (64 &- width))
        degrees = Int64(truncatingIfNeeded: (pairs >> 16 & 0xFF) &* 100 &+ (pairs >> 32 & 0xFF))
        minutesInBillionths =
            Int64(truncatingIfNeeded: pairs >> 48 & 0xFF) &* 1_000_000_000 &+ second.fraction(bits: fractionBits) &* 10
        decimals = UInt8(truncatingIfNeeded: fractionBits >> 3)
        reader.offset = fractionReader.offset &+ Int(truncatingIfNeeded: fractionBits >> 3) &+ 1
    }

    /// Parses any other form; nil if the field is not an angle.
    init?(long body: RawSpan, reader: inout FieldReader) {
        guard let number = reader.number(body), !number.isNegative else { return nil }
        degrees = number.whole / 100
        minutesInBillionths = number.whole % 100 * 1_000_000_000 + number.fractionInBillionths
        decimals = UInt8(number.fractionDigits)
    }
}
