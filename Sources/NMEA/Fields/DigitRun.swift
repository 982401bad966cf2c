/// A run of decimal digits, read eight at a time.
///
/// Half of all the work on a port is digits. Which of eight bytes are digits is found by one addition that carries into the top bit of
/// each that is not; their value by three multiplications that join neighbours into pairs, fours and eights (the method is J. Lee's and
/// D. Lemire's, "Quickly parsing eight digits", 2018).
struct DigitRun {
    /// The digits as a number; of more than 18 the leading ones are lost.
    private(set) var value: UInt64 = 0
    /// How many there are.
    private(set) var count = 0
    /// The byte that ends the run; a comma at the end of the body.
    private(set) var end = UInt8(ascii: ",")

    /// Reads the digits from `offset` on.
    @inline(__always)
    init(_ body: RawSpan, at offset: Int) {
        if offset &+ 8 <= body.byteCount {
            let word = body.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
            let digits = word ^ 0x3030_3030_3030_3030
            let others = ((digits &+ 0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
            if others != 0 {
                let bits = others.trailingZeroBitCount & ~7
                count = bits >> 3
                end = UInt8(truncatingIfNeeded: word >> UInt64(bits))
                if bits > 0 { value = DigitRun.value(of: digits << UInt64(64 &- bits)) }
                return
            }
            value = DigitRun.value(of: digits)
            count = 8
        }
        readOn(body, at: offset &+ count)
    }

    /// Eight digits, the first in the lowest byte.
    @inline(__always)
    static func value(of digits: UInt64) -> UInt64 {
        let pairs = digits &* 10 &+ digits >> 8
        let mask: UInt64 = 0x0000_00FF_0000_00FF
        return ((pairs & mask) &* 0x000F_4240_0000_0064 &+ ((pairs >> 16) & mask) &* 0x0000_2710_0000_0001) >> 32
    }

    /// One at a time, near the end of the body and beyond eight.
    private mutating func readOn(_ body: RawSpan, at offset: Int) {
        var at = offset
        while at < body.byteCount {
            let byte = body.byte(at: at)
            let digit = byte &- 48
            guard digit < 10 else {
                end = byte
                break
            }
            value = value &* 10 &+ UInt64(digit)
            at += 1
        }
        count += at - offset
    }
}
