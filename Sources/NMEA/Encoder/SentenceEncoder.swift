import Chronology

/// Writes NMEA 0183 sentences with checksum and line end into a byte buffer.
///
/// This is the counterpart of the decoders: it produces the output of a given receiver model. Each
/// sentence has its own method, in one of the neighbouring files. All methods leave a field empty
/// if its value is unknown.
public struct SentenceEncoder: Sendable {
    /// The sentence format of the receiver model.
    public var layout: Layout
    /// All sentences since the last call of ``take()``.
    public private(set) var bytes: [UInt8] = []
    private var checksum: UInt8 = 0

    /// Creates an encoder with an empty buffer.
    public init(layout: Layout) {
        self.layout = layout
    }

    /// Returns the bytes written so far and empties the buffer.
    public mutating func takeBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// Writes a sentence from preformatted fields, such as `PMTK011,MTKGPS`. Drops bytes that would
    /// end the sentence early.
    ///
    /// - Parameter body: The text between `$` and `*`.
    public mutating func sentence(_ body: String) {
        beginSentence("", "")
        append(sanitized: body)
        endSentence()
    }
}

// Helpers that all sentence methods share.
extension SentenceEncoder {
    mutating func beginSentence(_ talker: String, _ type: String) {
        bytes.append(UInt8(ascii: "$"))
        checksum = 0
        append(sanitized: talker)
        append(sanitized: type)
    }

    mutating func endSentence() {
        let sum = checksum
        bytes.append(UInt8(ascii: "*"))
        bytes.append(SentenceEncoder.hexadecimal(sum >> 4))
        bytes.append(SentenceEncoder.hexadecimal(sum & 15))
        bytes.append(13)
        bytes.append(10)
    }

    /// Writes `count` empty fields.
    mutating func appendEmptyFields(_ count: Int = 1) {
        for _ in 0..<count { append(UInt8(ascii: ",")) }
    }

    mutating func appendField(_ text: String) {
        appendEmptyFields()
        append(sanitized: text)
    }

    /// Writes an integer with at least `width` digits; leaves the field empty if the value is nil.
    mutating func appendField(_ value: Int?, width: Int = 1) {
        appendEmptyFields()
        guard let value else { return }
        append(integer: Int64(clamping: value), width: width)
    }

    /// Writes a decimal number with exactly `places` decimals (0 ... 9) and at least `width` digits
    /// before the point; leaves the field empty if the value is nil.
    mutating func appendField(_ value: Double?, places: Int, width: Int = 1) {
        appendEmptyFields()
        guard let value, value.isFinite else { return }
        let scale = SentenceEncoder.powerOfTen(places)
        append(scaled: Int64(min(max(value * Double(scale), -9e17), 9e17).rounded()), places: places, width: width)
    }

    mutating func hexadecimalField(_ value: Int) {
        appendEmptyFields()
        append(SentenceEncoder.hexadecimal(UInt8(truncatingIfNeeded: value & 15)))
    }

    private mutating func append(scaled value: Int64, places: Int, width: Int) {
        let scale = SentenceEncoder.powerOfTen(places)
        if value < 0 { append(UInt8(ascii: "-")) }
        let magnitude = Int64(clamping: value.magnitude)
        append(integer: magnitude / scale, width: width)
        guard places > 0 else { return }
        append(UInt8(ascii: "."))
        append(integer: magnitude % scale, width: places)
    }

    /// Writes an integer in units of 10^-places, such as the minutes of an angle.
    mutating func append(fixed value: Int64, places: Int, width: Int) {
        append(scaled: value, places: places, width: width)
    }

    mutating func append(integer value: Int64, width: Int) {
        if value < 0 { append(UInt8(ascii: "-")) }
        let magnitude = value.magnitude
        var divisor: UInt64 = 1
        var digits = 1
        while digits < 19, digits < width || magnitude / divisor >= 10 {
            divisor *= 10
            digits += 1
        }
        while divisor > 0 {
            append(UInt8(48 + magnitude / divisor % 10))
            divisor /= 10
        }
    }

    mutating func append(sanitized text: String) {
        for byte in text.utf8 where (32..<127).contains(byte) && byte != UInt8(ascii: "$") && byte != UInt8(ascii: "*")
        { append(byte) }
    }

    private mutating func append(_ byte: UInt8) {
        bytes.append(byte)
        checksum ^= byte
    }

    static func powerOfTen(_ places: Int) -> Int64 {
        (0..<min(max(places, 0), 9)).reduce(1) { product, _ in product * 10 }
    }

    private static func hexadecimal(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? 48 + nibble : 55 + nibble
    }
}
