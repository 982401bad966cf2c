import Chronology

/// Writes the bytes of sentences field by field, with checksum and line end.
///
/// It knows the number formats of NMEA 0183, but no sentence; ``SentenceEncoder`` selects the
/// fields and their decimals.
struct SentenceWriter: Sendable {
    /// All sentences since the last call of ``takeBytes()``.
    private(set) var bytes: [UInt8] = []
    private var checksum: UInt8 = 0

    /// Returns the bytes written so far and empties the buffer.
    mutating func takeBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// Appends a sentence from preformatted fields. Drops bytes that would end it early.
    mutating func appendSentence(_ body: String) {
        beginSentence(talker: "", type: "")
        append(sanitized: body)
        endSentence()
    }

    mutating func beginSentence(talker: String, type: String) {
        bytes.append(UInt8(ascii: "$"))
        checksum = 0
        append(sanitized: talker)
        append(sanitized: type)
    }

    /// Ends a sentence with its checksum and line end.
    mutating func endSentence() {
        let sum = checksum
        bytes.append(UInt8(ascii: "*"))
        bytes.append(SentenceWriter.hexadecimal(sum >> 4))
        bytes.append(SentenceWriter.hexadecimal(sum & 15))
        bytes.append(13)
        bytes.append(10)
    }

    mutating func appendEmptyFields(_ count: Int = 1) {
        for _ in 0..<count { append(UInt8(ascii: ",")) }
    }

    /// Appends a field without the bytes that would end the sentence early.
    mutating func appendField(_ text: String) {
        appendEmptyFields()
        append(sanitized: text)
    }

    /// Appends an integer with at least `width` digits; leaves the field empty if the value is nil.
    mutating func appendField(_ value: Int?, width: Int = 1) {
        appendEmptyFields()
        guard let value else { return }
        append(integer: Int64(clamping: value), width: width)
    }

    /// Appends a decimal number with exactly `places` decimals (0 ... 9) and at least `width`
    /// digits before the point; leaves the field empty if the value is nil.
    mutating func appendField(_ value: Double?, places: Int, width: Int = 1) {
        appendEmptyFields()
        guard let value, value.isFinite else { return }
        let scale = SentenceWriter.powerOfTen(places)
        append(scaled: Int64(min(max(value * Double(scale), -9e17), 9e17).rounded()), places: places, width: width)
    }

    /// Appends the lowest four bits as a hexadecimal digit.
    mutating func appendHexadecimalField(_ value: Int) {
        appendEmptyFields()
        append(SentenceWriter.hexadecimal(UInt8(truncatingIfNeeded: value & 15)))
    }

    /// Appends a time of day as `hhmmss.sss`; leaves the field empty if it is nil or negative.
    ///
    /// - Parameters:
    ///   - milliseconds: Time since midnight.
    ///   - decimals: Decimals of the seconds, limited to 0 ... 3; further digits are cut.
    mutating func appendTimeField(_ milliseconds: Int?, decimals: Int) {
        appendEmptyFields()
        guard let milliseconds, milliseconds >= 0 else { return }
        let second = milliseconds / 1000
        append(integer: Int64(second / 3600), width: 2)
        append(integer: Int64(second / 60 % 60), width: 2)
        let places = min(max(decimals, 0), 3)
        let fraction = Int64(milliseconds % 1000) / SentenceWriter.powerOfTen(3 - places)
        append(scaled: Int64(second % 60) * SentenceWriter.powerOfTen(places) + fraction, places: places, width: 2)
    }

    /// Appends a date as `ddmmyy`; leaves the field empty if it is nil.
    mutating func appendDateField(_ date: CivilDate?) {
        appendEmptyFields()
        guard let parts = date?.components else { return }
        let yearOfCentury = ((parts.year % 100) + 100) % 100
        for part in [parts.day, parts.month, yearOfCentury] { append(integer: Int64(part), width: 2) }
    }

    /// Appends a coordinate as degrees and minutes, then its hemisphere.
    ///
    /// - Parameters:
    ///   - degrees: The latitude or longitude.
    ///   - width: Digits of the degrees.
    ///   - hemispheres: The letters for positive and for negative angles.
    ///   - decimals: Decimals of the minutes, limited to 0 ... 8.
    mutating func appendAngleFields(
        _ degrees: Double, width: Int, hemispheres: (positive: String, negative: String), decimals: Int
    ) {
        let places = min(max(decimals, 0), 8)
        let unitsPerDegree = 60 * SentenceWriter.powerOfTen(places)
        // The whole angle is rounded, so that the minutes never reach 60.
        let total = Int64((min(abs(degrees), 360) * Double(unitsPerDegree)).rounded())
        appendEmptyFields()
        append(integer: total / unitsPerDegree, width: width)
        append(scaled: total % unitsPerDegree, places: places, width: 2)
        appendField(degrees < 0 ? hemispheres.negative : hemispheres.positive)
    }

    // The digits of the fields above.

    /// Appends a number in units of 10^-places.
    private mutating func append(scaled value: Int64, places: Int, width: Int) {
        let scale = SentenceWriter.powerOfTen(places)
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

    private mutating func append(sanitized text: String) {
        for byte in text.utf8 where (32..<127).contains(byte) && byte != UInt8(ascii: "$") && byte != UInt8(ascii: "*")
        { append(byte) }
    }

    private mutating func append(_ byte: UInt8) {
        bytes.append(byte)
        checksum ^= byte
    }

    private static func powerOfTen(_ places: Int) -> Int64 {
        (0..<min(max(places, 0), 9)).reduce(1) { product, _ in product * 10 }
    }

    private static func hexadecimal(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? 48 + nibble : 55 + nibble
    }
}
