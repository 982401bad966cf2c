// Wrapping arithmetic: offsets are bounded by the length of a chunk, and masks of eight bytes are
// meant to wrap. Counters of 64 bits never get there. This code runs for every byte.

/// The checksum of NMEA 0183: the XOR of all bytes between the `$` and the `*`.
public enum Checksum {
    /// Returns the checksum of a sentence's body. Processes eight bytes at a time.
    public static func of(_ body: RawSpan) -> UInt8 {
        var wide: UInt64 = 0
        var index = 0
        while body.containsWord(at: index) {
            wide ^= body.word(at: index)
            index &+= 8
        }
        return xorOfBytes(wide ^ body.paddedWord(at: index, filler: 0))
    }

    /// Returns the XOR of eight bytes.
    @inline(__always)
    static func xorOfBytes(_ wide: UInt64) -> UInt8 {
        var wide = wide ^ wide >> 32
        wide ^= wide >> 16
        return UInt8(truncatingIfNeeded: wide ^ wide >> 8)
    }
}
