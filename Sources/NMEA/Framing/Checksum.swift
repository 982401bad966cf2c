/// The checksum of NMEA 0183: the XOR of every byte between the `$` and the `*`.
public enum Checksum {
    /// The checksum of a sentence's body, eight bytes at a time.
    public static func of(_ body: RawSpan) -> UInt8 {
        var wide: UInt64 = 0
        var at = 0
        while body.holdsWord(at: at) {
            wide ^= body.word(at: at)
            at &+= 8
        }
        return folded(wide ^ body.lastWord(at: at, filler: 0))
    }

    /// The XOR of eight bytes.
    @inline(__always)
    static func folded(_ wide: UInt64) -> UInt8 {
        var wide = wide ^ wide >> 32
        wide ^= wide >> 16
        return UInt8(truncatingIfNeeded: wide ^ wide >> 8)
    }
}
