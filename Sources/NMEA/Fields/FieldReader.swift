/// A place in a sentence's body, and the reading of one field after another from it.
///
/// The bytes are passed to each call rather than held, since a struct that holds a span cannot be stored. Reading beyond the last field
/// gives empty fields: sentences grew at their ends from version to version.
struct FieldReader {
    /// The first byte of the next field.
    private(set) var at: Int

    /// A reader whose next field begins at `offset`.
    init(at offset: Int) {
        at = offset
    }

    /// Whether every field has been read.
    func atEnd(_ body: RawSpan) -> Bool { at > body.byteCount }

    /// The next field's bytes as a range; empty where the field is empty or absent.
    @inline(__always)
    mutating func field(_ body: RawSpan) -> Range<Int> {
        let start = min(at, body.byteCount)
        var end = start
        while end < body.byteCount, body.byte(at: end) != UInt8(ascii: ",") { end += 1 }
        at = end + 1
        return start..<end
    }

    /// Passes over `fields` fields.
    mutating func skip(_ body: RawSpan, _ fields: Int = 1) {
        for _ in 0..<fields { _ = field(body) }
    }

    /// A single letter; nil where the field is empty.
    @inline(__always)
    mutating func letter(_ body: RawSpan) -> UInt8? {
        let range = field(body)
        return range.isEmpty ? nil : body.byte(at: range.lowerBound)
    }

    /// A number as it stands, nil where the field is empty or holds anything but a number. The field is passed over either way.
    @inline(__always)
    mutating func number(_ body: RawSpan) -> DecimalScan? {
        var scan = DecimalScan()
        let start = min(at, body.byteCount)
        let end = scan.read(body, from: start)
        guard end == body.byteCount || body.byte(at: end) == UInt8(ascii: ","), scan.digits > 0 else {
            _ = field(body)
            return nil
        }
        at = end + 1
        return scan
    }

    /// A decimal number.
    @inline(__always)
    mutating func decimal(_ body: RawSpan) -> Double? {
        number(body)?.value
    }

    /// A whole number, 0 or more; a fraction is cut.
    @inline(__always)
    mutating func integer(_ body: RawSpan) -> Int? {
        guard let scan = number(body), !scan.isNegative else { return nil }
        return Int(scan.whole)
    }

    /// One hexadecimal digit; nil where the field is anything else.
    mutating func hexadecimalDigit(_ body: RawSpan) -> Int? {
        let range = field(body)
        guard range.count == 1, let value = body.byte(at: range.lowerBound).hexadecimal else { return nil }
        return Int(value)
    }

    /// How many fields are left, without reading them.
    func remaining(_ body: RawSpan) -> Int {
        guard at <= body.byteCount else { return 0 }
        var commas = 0
        for offset in at..<body.byteCount where body.byte(at: offset) == UInt8(ascii: ",") { commas += 1 }
        return commas + 1
    }
}
