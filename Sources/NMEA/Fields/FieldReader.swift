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
        let start = at
        // Nearly always one letter and a comma, or nothing.
        if start &+ 1 < body.byteCount, body.byte(at: start &+ 1) == UInt8(ascii: ",") {
            at = start &+ 2
            return body.byte(at: start) == UInt8(ascii: ",") ? back(to: start &+ 1) : body.byte(at: start)
        }
        let range = field(body)
        return range.isEmpty ? nil : body.byte(at: range.lowerBound)
    }

    private mutating func back(to offset: Int) -> UInt8? {
        at = offset
        return nil
    }

    /// A number as it stands, nil where the field is empty or holds anything but a number. The field is passed over either way.
    ///
    /// One pass over the digits with everything in registers: half of all the work on a port is here.
    @inline(__always)
    mutating func number(_ body: RawSpan) -> Decimal? {
        let end = body.byteCount
        var at = self.at
        guard at < end else { return pass(body) }
        var byte = body.byte(at: at)
        let isNegative = byte == UInt8(ascii: "-")
        if isNegative || byte == UInt8(ascii: "+") { at &+= 1 }
        let first = at
        var whole: UInt64 = 0
        byte = FieldReader.digits(body, &at, &whole)
        let leading = at &- first
        guard leading <= 9 else { return pass(body) }
        var number = Decimal(whole: whole, mantissa: whole, scale: 1, fractionDigits: 0, isNegative: isNegative)
        if byte == UInt8(ascii: ".") {
            at &+= 1
            byte = FieldReader.fraction(body, &at, &number)
        }
        guard byte == UInt8(ascii: ","), leading &+ Int(number.fractionDigits) > 0 else { return pass(body) }
        self.at = at &+ 1
        return number
    }

    /// Adds up digits; returns the byte that ended them, a comma at the end of the body.
    @inline(__always)
    private static func digits(_ body: RawSpan, _ at: inout Int, _ sum: inout UInt64) -> UInt8 {
        while at < body.byteCount {
            let byte = body.byte(at: at)
            let digit = byte &- 48
            guard digit < 10 else { return byte }
            sum = sum &* 10 &+ UInt64(digit)
            at &+= 1
        }
        return UInt8(ascii: ",")
    }

    /// Adds the digits behind the point to a number; returns the byte that ended them, a comma at the end of the body.
    @inline(__always)
    private static func fraction(_ body: RawSpan, _ at: inout Int, _ number: inout Decimal) -> UInt8 {
        while at < body.byteCount {
            let byte = body.byte(at: at)
            let digit = byte &- 48
            guard digit < 10 else { return byte }
            if number.fractionDigits < 9 {
                number.mantissa = number.mantissa &* 10 &+ UInt64(digit)
                number.scale = number.scale &* 10
                number.fractionDigits &+= 1
            }
            at &+= 1
        }
        return UInt8(ascii: ",")
    }

    /// Passes over a field that is not a number.
    private mutating func pass(_ body: RawSpan) -> Decimal? {
        _ = field(body)
        return nil
    }

    /// A decimal number.
    @inline(__always)
    mutating func decimal(_ body: RawSpan) -> Double? {
        number(body)?.value
    }

    /// A whole number, 0 or more; a fraction is cut.
    @inline(__always)
    mutating func integer(_ body: RawSpan) -> Int? {
        guard let number = number(body), !number.isNegative else { return nil }
        return Int(number.whole)
    }

    /// A whole number from 0 to 255; nil for anything else.
    @inline(__always)
    mutating func byte(_ body: RawSpan) -> UInt8? {
        integer(body).flatMap { UInt8(exactly: $0) }
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
