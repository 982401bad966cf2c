/// Sixty-four bits that stand for all that was put in, in order (FNV-1a, taken in words): enough to tell two runs apart.
struct Digest: Equatable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func put(_ word: UInt64) {
        value = (value ^ word) &* 0x0000_0100_0000_01B3
        value ^= value >> 29
    }

    mutating func put(_ number: some BinaryInteger) { put(UInt64(truncatingIfNeeded: number)) }
    mutating func put(_ truth: Bool) { put(truth ? 1 : 2 as UInt64) }
    mutating func put(_ number: Double) { put(number.bitPattern) }

    /// Eight bytes at a time: what is instrumented should be the rooms, not this.
    mutating func put(_ bytes: RawSpan) {
        put(UInt64(bytes.byteCount))
        var at = 0
        while at + 8 <= bytes.byteCount {
            put(bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self))
            at += 8
        }
        while at < bytes.byteCount {
            put(UInt64(bytes.unsafeLoad(fromByteOffset: at, as: UInt8.self)))
            at += 1
        }
    }

    mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { put(UnsafeRawBufferPointer($0).bytes) }
    }
}
