// Wrapping arithmetic: offsets and digits of a field are bounded by the length of a sentence,
// and this code runs for every field.

/// Eight bytes of a sentence, the first in the lowest byte, and the digits at their start.
///
/// Digits take half of the processing time of a port. One addition finds the bytes that are not
/// digits: it carries into their top bits. Three multiplications compute the value: they combine
/// neighbours into pairs, fours and eights (J. Lee and D. Lemire, "Quickly parsing eight digits",
/// 2018).
struct EightByteDigits {
    let bytes: UInt64
    /// Each byte XOR the code of `0`, so that a digit byte holds its value.
    let digits: UInt64
    /// A mask with the top bit of each byte that is not a digit.
    ///
    /// The mask is correct up to the first such byte. If that byte is a point or a comma, the mask
    /// is correct up to the second, because neither carries into the next byte.
    let nonDigitMask: UInt64

    @inline(__always)
    init(_ bytes: UInt64) {
        self.bytes = bytes
        digits = bytes ^ 0x3030_3030_3030_3030
        nonDigitMask = ((digits &+ 0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
    }

    /// The width of the leading digits in bits: eight times their number, 0 ... 64.
    @inline(__always)
    var leadingDigitBits: UInt64 { UInt64(truncatingIfNeeded: nonDigitMask.trailingZeroBitCount) & ~7 }

    /// Returns the byte above the lowest `bits` bits; for 64 bits, returns the first byte.
    @inline(__always)
    func byte(above bits: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: bytes &>> bits) }

    /// Returns the leading digits as an integer; `width` is 8 ... 64.
    @inline(__always)
    func integer(bits width: UInt64) -> Int64 { EightByteDigits.value(of: digits &<< (64 &- width)) }

    /// Returns the leading digits as a fraction in units of 10 to the power of -8; `width` is 0 ...
    /// 56.
    @inline(__always)
    func fraction(bits width: UInt64) -> Int64 { EightByteDigits.value(of: digits & ((1 &<< width) &- 1)) }

    /// The first six digits in pairs: hours, minutes and seconds, or day, month and year.
    @inline(__always)
    var pairs: (first: UInt8, second: UInt8, third: UInt8) {
        let pairs = EightByteDigits.pairs(of: digits)
        return (
            UInt8(truncatingIfNeeded: pairs), UInt8(truncatingIfNeeded: pairs >> 16),
            UInt8(truncatingIfNeeded: pairs >> 32)
        )
    }

    /// Combines digits into pairs: each byte is ten times its digit plus the next digit. Only every
    /// second byte is meaningful.
    @inline(__always)
    static func pairs(of digits: UInt64) -> UInt64 { digits &* 10 &+ digits >> 8 }

    /// Returns the value of eight digits, the first in the lowest byte.
    @inline(__always)
    static func value(of digits: UInt64) -> Int64 {
        let pairs = pairs(of: digits)
        let mask: UInt64 = 0x0000_00FF_0000_00FF
        let sum = (pairs & mask) &* 0x000F_4240_0000_0064 &+ ((pairs >> 16) & mask) &* 0x0000_2710_0000_0001
        return Int64(truncatingIfNeeded: sum >> 32)
    }
}
