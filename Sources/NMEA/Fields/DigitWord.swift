/// Eight bytes of a sentence, the first in the lowest byte, and the digits they begin with.
///
/// Half of all the work on a port is digits. Which of eight bytes are digits is found by one addition that carries into the top bit of
/// each that is not; their value by three multiplications that join neighbours into pairs, fours and eights (the method is J. Lee's and
/// D. Lemire's, "Quickly parsing eight digits", 2018).
struct DigitWord {
    /// The bytes as they stand.
    let bytes: UInt64
    /// Each byte less the code of `0`.
    let digits: UInt64
    /// The top bit of each byte that is no digit. Right up to the first of them, and to the second where the first is a point or a comma,
    /// since neither carries into the byte above it.
    let others: UInt64

    /// The digits of eight bytes.
    @inline(__always)
    init(_ bytes: UInt64) {
        self.bytes = bytes
        digits = bytes ^ 0x3030_3030_3030_3030
        others = ((digits &+ 0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
    }

    /// Bits of the digits that come first: eight times their number, 0 ... 64.
    @inline(__always)
    var width: UInt64 { UInt64(truncatingIfNeeded: others.trailingZeroBitCount) & ~7 }

    /// The byte above the lowest `bits`; the first byte once more where they are 64.
    @inline(__always)
    func byte(above bits: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: bytes &>> bits) }

    /// The first digits as a number; `width` is 8 ... 64.
    @inline(__always)
    func number(_ width: UInt64) -> Int64 { DigitWord.value(of: digits &<< (64 &- width)) }

    /// The first digits as a fraction, in units of 10 to the power of -8; `width` is 0 ... 56.
    @inline(__always)
    func fraction(_ width: UInt64) -> Int64 { DigitWord.value(of: digits & ((1 &<< width) &- 1)) }

    /// The first six digits two by two: hours, minutes and seconds, or day, month and year.
    @inline(__always)
    var pairs: (UInt8, UInt8, UInt8) {
        let pairs = DigitWord.pairs(of: digits)
        return (UInt8(truncatingIfNeeded: pairs), UInt8(truncatingIfNeeded: pairs >> 16), UInt8(truncatingIfNeeded: pairs >> 32))
    }

    /// Digits two by two: each byte ten times its digit and the next byte's. Every other one is of use.
    @inline(__always)
    static func pairs(of digits: UInt64) -> UInt64 { digits &* 10 &+ digits >> 8 }

    /// Eight digits, the first in the lowest byte.
    @inline(__always)
    static func value(of digits: UInt64) -> Int64 {
        let pairs = pairs(of: digits)
        let mask: UInt64 = 0x0000_00FF_0000_00FF
        let sum = (pairs & mask) &* 0x000F_4240_0000_0064 &+ ((pairs >> 16) & mask) &* 0x0000_2710_0000_0001
        return Int64(truncatingIfNeeded: sum >> 32)
    }
}
