/// The checksum of NMEA 0183: the XOR of every byte between the `$` and the `*`.
public enum Checksum {
    /// The checksum of a sentence's body, eight bytes at a time.
    public static func of(_ body: RawSpan) -> UInt8 {
        var wide: UInt64 = 0
        var at = 0
        while at &+ 8 <= body.byteCount {
            wide ^= body.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self)
            at &+= 8
        }
        var sum = folded(wide)
        while at < body.byteCount {
            sum ^= body.byte(at: at)
            at &+= 1
        }
        return sum
    }

    /// The XOR of eight bytes.
    @inline(__always)
    static func folded(_ wide: UInt64) -> UInt8 {
        var wide = wide ^ wide >> 32
        wide ^= wide >> 16
        return UInt8(truncatingIfNeeded: wide ^ wide >> 8)
    }
}
