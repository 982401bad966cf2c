/// A 64-bit digest of values in order (FNV-1a over words), which distinguishes two runs.
struct Digest: Equatable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func put(_ word: UInt64) {
        value = (value ^ word) &* 0x0000_0100_0000_01B3
        value ^= value >> 29
    }

    mutating func put(_ number: some BinaryInteger) { put(UInt64(truncatingIfNeeded: number)) }
    mutating func put(_ truth: Bool) { put(truth ? 1 : 2 as UInt64) }
    mutating func put(_ number: Double) { put(number.bitPattern) }

    /// Processes eight bytes at a time, so that the fuzzer spends its time in the tested code.
    mutating func put(_ bytes: RawSpan) {
        put(UInt64(bytes.byteCount))
        var index = 0
        while index + 8 <= bytes.byteCount {
            put(bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        while index < bytes.byteCount {
            put(UInt64(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)))
            index += 1
        }
    }

    mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { put(UnsafeRawBufferPointer($0).bytes) }
    }
}
