// Wrapping arithmetic: offsets are bounded by the length of a chunk, and masks of eight bytes are
// meant to wrap. Counters of 64 bits never get there. This code runs for every byte.

extension RawSpan {
    /// Returns the byte at `offset`, bounds checked.
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// Returns the eight bytes from `offset`, the first in the lowest byte; bounds checked.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
    }

    /// Returns whether ``word(at:)`` is in bounds. The expression matches the bounds check of the
    /// load, so the optimizer merges both.
    @inline(__always)
    func containsWord(at offset: Int) -> Bool {
        UInt(bitPattern: offset) <= UInt(bitPattern: byteCount) && 8 <= byteCount &- offset
    }

    /// Returns the bytes from `offset` to the end, fewer than eight, padded with `filler` (eight
    /// equal bytes).
    func paddedWord(at offset: Int, filler: UInt64) -> UInt64 {
        let left = byteCount &- offset
        guard left > 0 else { return filler }
        let bits = UInt64(truncatingIfNeeded: left) &* 8
        if containsWord(at: byteCount &- 8) { return word(at: byteCount &- 8) &>> (64 &- bits) | filler &<< bits }
        var word = filler
        for index in (offset..<byteCount).reversed() { word = word << 8 | UInt64(byte(at: index)) }
        return word
    }
}

extension UInt8 {
    /// Whether the byte is `A`-`Z` or `0`-`9`.
    @inline(__always)
    var isCapitalOrDigit: Bool { (self >= 65 && self <= 90) || (self >= 48 && self <= 57) }

    /// The value of a hexadecimal digit of either case; nil for anything else.
    @inline(__always)
    var hexadecimal: UInt8? {
        switch self {
        case 48...57: self - 48
        case 65...70: self - 55
        case 97...102: self - 87
        default: nil
        }
    }
}
