import Chronology

/// Writes the fields of sentences into a byte buffer and computes the checksums. The counterpart of
/// ``FieldReader``.
struct FieldWriter: Sendable {
    /// All sentences since the last call of ``takeBytes()``.
    private(set) var bytes: [UInt8] = []
    private var checksum: UInt8 = 0

    /// Returns the bytes written so far and empties the buffer.
    mutating func takeBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    mutating func beginSentence(talker: String, formatter: String) {
        bytes.append(UInt8(ascii: "$"))
        checksum = 0
        append(sanitized: talker)
        append(sanitized: formatter)
    }

    mutating func endSentence() {
        let sum = checksum
        bytes.append(UInt8(ascii: "*"))
        bytes.append(FieldWriter.hexadecimalDigit(sum >> 4))
        bytes.append(FieldWriter.hexadecimalDigit(sum & 15))
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
        let scale = FieldWriter.powerOfTen(places)
        append(scaled: Int64(min(max(value * Double(scale), -9e17), 9e17).rounded()), places: places, width: width)
    }

    mutating func appendHexadecimalField(_ value: Int) {
        appendEmptyFields()
        append(FieldWriter.hexadecimalDigit(UInt8(truncatingIfNeeded: value & 15)))
    }

    /// Writes milliseconds since midnight as `hhmmss.sss`; leaves the field empty if they are nil.
    ///
    /// - Parameter decimals: The decimals of the seconds, 0 ... 3.
    mutating func appendTime(_ milliseconds: Int?, decimals: Int) {
        appendEmptyFields()
        guard let milliseconds, milliseconds >= 0 else { return }
        let second = milliseconds / 1000
        append(integer: Int64(second / 3600), width: 2)
        append(integer: Int64(second / 60 % 60), width: 2)
        let places = min(max(decimals, 0), 3)
        let fraction = Int64(milliseconds % 1000) / FieldWriter.powerOfTen(3 - places)
        append(scaled: Int64(second % 60) * FieldWriter.powerOfTen(places) + fraction, places: places, width: 2)
    }

    /// Writes a day as `ddmmyy`; leaves the field empty if the date is nil.
    mutating func appendDate(_ date: CivilDate?) {
        appendEmptyFields()
        guard let parts = date?.components else { return }
        for part in [parts.day, parts.month, ((parts.year % 100) + 100) % 100] {
            append(integer: Int64(part), width: 2)
        }
    }

    /// Writes an angle as degrees with `width` digits and minutes, followed by the letter of its
    /// direction.
    ///
    /// - Parameter decimals: The decimals of the minutes, 0 ... 8.
    mutating func appendAngle(_ degrees: Double, width: Int, positive: String, negative: String, decimals: Int) {
        let places = min(max(decimals, 0), 8)
        let perDegree = 60 * FieldWriter.powerOfTen(places)
        let total = Int64((min(abs(degrees), 360) * Double(perDegree)).rounded())
        appendEmptyFields()
        append(integer: total / perDegree, width: width)
        append(scaled: total % perDegree, places: places, width: 2)
        appendField(degrees < 0 ? negative : positive)
    }

    /// Writes text without the characters that would end the sentence early.
    mutating func append(sanitized text: String) {
        for byte in text.utf8 where (32..<127).contains(byte) && byte != UInt8(ascii: "$") && byte != UInt8(ascii: "*")
        { append(byte) }
    }

    /// Writes an integer in units of 10^-places, such as the minutes of an angle.
    private mutating func append(scaled value: Int64, places: Int, width: Int) {
        let scale = FieldWriter.powerOfTen(places)
        if value < 0 { append(UInt8(ascii: "-")) }
        let magnitude = Int64(clamping: value.magnitude)
        append(integer: magnitude / scale, width: width)
        guard places > 0 else { return }
        append(UInt8(ascii: "."))
        append(integer: magnitude % scale, width: places)
    }

    private mutating func append(integer value: Int64, width: Int) {
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

    private mutating func append(_ byte: UInt8) {
        bytes.append(byte)
        checksum ^= byte
    }

    private static func powerOfTen(_ places: Int) -> Int64 {
        (0..<min(max(places, 0), 9)).reduce(1) { product, _ in product * 10 }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 48 + value : 55 + value
    }
}
