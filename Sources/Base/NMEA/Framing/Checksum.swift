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

    /// Returns the CRC-32 of a body with the polynomial of IEEE 802.3, start value 0 and no final
    /// inversion (NovAtel OEM manuals, "32-Bit CRC"; Unicore has the same).
    static func crc32(of body: RawSpan) -> UInt32 {
        var crc: UInt32 = 0
        for index in 0..<body.byteCount {
            crc ^= UInt32(body.byte(at: index))
            for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 0 ? 0 : 0xEDB8_8320) }
        }
        return crc
    }

    /// Returns the XOR of eight bytes.
    @inline(__always)
    static func xorOfBytes(_ wide: UInt64) -> UInt8 {
        var wide = wide ^ wide >> 32
        wide ^= wide >> 16
        return UInt8(truncatingIfNeeded: wide ^ wide >> 8)
    }
}
