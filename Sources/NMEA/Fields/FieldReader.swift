/// A place in a sentence's body, and the reading of one field after another from it.
///
/// The bytes are passed to each call rather than held, since a struct that holds a span cannot be stored. Reading beyond the last field
/// gives empty fields: sentences grew at their ends from version to version.
struct FieldReader {
    /// The first byte of the next field.
    var at: Int

    /// A reader whose next field begins at `offset`.
    @inline(__always)
    init(at offset: Int) {
        at = offset
    }

    /// Whether every field has been read.
    @inline(__always)
    func atEnd(_ body: RawSpan) -> Bool { at > body.byteCount }

    /// The next eight bytes: most fields end within them. Behind the end of the body are commas, so that a field that ends there reads
    /// like any other and one beyond it is empty.
    @inline(__always)
    func window(_ body: RawSpan) -> UInt64 {
        body.holdsWord(at: at) ? body.word(at: at) : body.lastWord(at: at, filler: 0x2C2C_2C2C_2C2C_2C2C)
    }

    /// The next field's bytes as a range; empty where the field is empty or absent.
    mutating func field(_ body: RawSpan) -> Range<Int> {
        let start = min(at, body.byteCount)
        var end = start
        while end < body.byteCount, body.byte(at: end) != UInt8(ascii: ",") { end &+= 1 }
        at = end &+ 1
        return start..<end
    }

    /// Passes over `fields` fields.
    mutating func skip(_ body: RawSpan, _ fields: Int = 1) {
        for _ in 0..<fields { _ = field(body) }
    }

    /// A single letter, the first where there are more; nil where the field is empty. Units are passed over as letters too.
    @inline(__always)
    @discardableResult
    mutating func letter(_ body: RawSpan) -> UInt8? {
        let bytes = window(body)
        let first = UInt8(truncatingIfNeeded: bytes)
        if first == UInt8(ascii: ",") {
            at &+= 1
            return nil
        }
        if UInt8(truncatingIfNeeded: bytes >> 8) == UInt8(ascii: ",") { at &+= 2 } else { skip(body) }
        return first
    }

    /// A number of any length, nil where the field is empty or holds anything but a number.
    mutating func number(_ body: RawSpan) -> Decimal? {
        Decimal(body, field(body))
    }

    /// A decimal number.
    mutating func decimal(_ body: RawSpan) -> Double? {
        let bytes = window(body)
        let first = UInt8(truncatingIfNeeded: bytes)
        if first == UInt8(ascii: ",") {
            at &+= 1
            return nil
        }
        let isNegative = first == UInt8(ascii: "-")
        let sign = isNegative ? 1 : 0
        guard let short = ShortDecimal(DigitWord(bytes &>> UInt64(sign << 3))) else { return number(body)?.value }
        at &+= short.length &+ sign &+ 1
        return isNegative ? -short.value : short.value
    }

    /// A whole number, 0 or more; a fraction is cut.
    mutating func integer(_ body: RawSpan) -> Int? {
        let word = DigitWord(window(body))
        let width = word.width
        guard word.byte(above: width) == UInt8(ascii: ",") else {
            guard let number = number(body), !number.isNegative else { return nil }
            return Int(number.whole)
        }
        at &+= Int(truncatingIfNeeded: width >> 3) &+ 1
        return width == 0 ? nil : Int(word.number(width))
    }

    /// A whole number from 0 to 255; nil for anything else.
    mutating func byte(_ body: RawSpan) -> UInt8? {
        // Nearly always one digit or two.
        let bytes = window(body)
        let first = UInt8(truncatingIfNeeded: bytes) &- 48
        let second = UInt8(truncatingIfNeeded: bytes >> 8)
        if first < 10 && second == UInt8(ascii: ",") {
            at &+= 2
            return first
        }
        if first < 10, second &- 48 < 10, UInt8(truncatingIfNeeded: bytes >> 16) == UInt8(ascii: ",") {
            at &+= 3
            return first &* 10 &+ (second &- 48)
        }
        return integer(body).flatMap { UInt8(exactly: $0) }
    }

    /// One hexadecimal digit; nil where the field is anything else.
    mutating func hexadecimalDigit(_ body: RawSpan) -> UInt8? {
        let range = field(body)
        guard range.count == 1, let value = body.byte(at: range.lowerBound).hexadecimal else { return nil }
        return value
    }

    /// How many fields are left, without reading them.
    func remaining(_ body: RawSpan) -> Int {
        guard at <= body.byteCount else { return 0 }
        var commas = 0
        for offset in at..<body.byteCount where body.byte(at: offset) == UInt8(ascii: ",") { commas += 1 }
        return commas + 1
    }
}
