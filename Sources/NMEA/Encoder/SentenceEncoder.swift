import Chronology

/// Writes NMEA 0183 sentences into a buffer of bytes, each with its checksum and line end.
///
/// The counterpart of the decoders: what a receiver of a given make would print for what it knows. One method per sentence lives in
/// the files beside this one; all of them leave a field empty where the value is unknown.
public struct SentenceEncoder: Sendable {
    /// How this make of receiver prints its numbers.
    public var layout: Layout
    /// Every sentence since the last ``take()``.
    public private(set) var bytes: [UInt8] = []
    private var checksum: UInt8 = 0

    /// An encoder with an empty buffer.
    public init(layout: Layout) {
        self.layout = layout
    }

    /// The bytes written so far; the buffer is empty afterwards.
    public mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// A sentence of ready-made fields, such as `PMTK011,MTKGPS`. Bytes that would end the sentence early are left out.
    ///
    /// - Parameter body: Everything between `$` and `*`.
    public mutating func sentence(_ body: String) {
        begin("", "")
        put(safe: body)
        end()
    }
}

// The pieces every sentence is made of.
extension SentenceEncoder {
    mutating func begin(_ talker: String, _ type: String) {
        bytes.append(UInt8(ascii: "$"))
        checksum = 0
        put(safe: talker)
        put(safe: type)
    }

    mutating func end() {
        let sum = checksum
        bytes.append(UInt8(ascii: "*"))
        bytes.append(SentenceEncoder.hexadecimal(sum >> 4))
        bytes.append(SentenceEncoder.hexadecimal(sum & 15))
        bytes.append(13)
        bytes.append(10)
    }

    /// Begins the next field and leaves it empty.
    mutating func empty(_ count: Int = 1) {
        for _ in 0..<count { put(UInt8(ascii: ",")) }
    }

    mutating func field(_ text: String) {
        empty()
        put(safe: text)
    }

    /// An integer with at least `width` digits; empty when unknown.
    mutating func field(_ value: Int?, width: Int = 1) {
        empty()
        guard let value else { return }
        put(integer: Int64(clamping: value), width: width)
    }

    /// A decimal number with exactly `places` places (0 ... 9) and at least `width` digits before the point; empty when unknown.
    mutating func field(_ value: Double?, places: Int, width: Int = 1) {
        empty()
        guard let value, value.isFinite else { return }
        let scale = SentenceEncoder.power(places)
        put(scaled: Int64(min(max(value * Double(scale), -9e17), 9e17).rounded()), places: places, width: width)
    }

    mutating func hexadecimalField(_ value: Int) {
        empty()
        put(SentenceEncoder.hexadecimal(UInt8(truncatingIfNeeded: value & 15)))
    }

    private mutating func put(scaled value: Int64, places: Int, width: Int) {
        let scale = SentenceEncoder.power(places)
        if value < 0 { put(UInt8(ascii: "-")) }
        let magnitude = Int64(clamping: value.magnitude)
        put(integer: magnitude / scale, width: width)
        guard places > 0 else { return }
        put(UInt8(ascii: "."))
        put(integer: magnitude % scale, width: places)
    }

    /// A whole number of 10^-places, as degrees and minutes are built.
    mutating func put(fixed value: Int64, places: Int, width: Int) {
        put(scaled: value, places: places, width: width)
    }

    mutating func put(integer value: Int64, width: Int) {
        if value < 0 { put(UInt8(ascii: "-")) }
        let magnitude = value.magnitude
        var divisor: UInt64 = 1
        var digits = 1
        while digits < 19, digits < width || magnitude / divisor >= 10 {
            divisor *= 10
            digits += 1
        }
        while divisor > 0 {
            put(UInt8(48 + magnitude / divisor % 10))
            divisor /= 10
        }
    }

    mutating func put(safe text: String) {
        for byte in text.utf8 where (32..<127).contains(byte) && byte != UInt8(ascii: "$") && byte != UInt8(ascii: "*") { put(byte) }
    }

    private mutating func put(_ byte: UInt8) {
        bytes.append(byte)
        checksum ^= byte
    }

    static func power(_ places: Int) -> Int64 {
        (0..<min(max(places, 0), 9)).reduce(1) { product, _ in product * 10 }
    }

    private static func hexadecimal(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? 48 + nibble : 55 + nibble
    }
}
