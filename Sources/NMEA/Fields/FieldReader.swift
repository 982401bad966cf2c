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

    /// Passes over a unit's letter, or whatever stands in its place.
    @inline(__always)
    mutating func unit(_ body: RawSpan) {
        if at &+ 1 < body.byteCount, body.byte(at: at &+ 1) == UInt8(ascii: ","), body.byte(at: at) != UInt8(ascii: ",") {
            at &+= 2
        } else {
            _ = field(body)
        }
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
    @inline(__always)
    mutating func number(_ body: RawSpan) -> Decimal? {
        var at = self.at
        guard at < body.byteCount else { return pass(body) }
        let first = body.byte(at: at)
        if first == UInt8(ascii: ",") {
            self.at = at &+ 1
            return nil
        }
        let isNegative = first == UInt8(ascii: "-")
        if isNegative || first == UInt8(ascii: "+") { at &+= 1 }
        let whole = DigitRun(body, at: at)
        at &+= whole.count
        guard whole.count <= 9 else { return pass(body) }
        guard whole.end == UInt8(ascii: ".") else {
            guard whole.end == UInt8(ascii: ","), whole.count > 0 else { return pass(body) }
            self.at = at &+ 1
            return Decimal(whole: whole.value, fraction: 0, fractionDigits: 0, isNegative: isNegative)
        }
        let fraction = DigitRun(body, at: at &+ 1)
        guard fraction.end == UInt8(ascii: ","), whole.count &+ fraction.count > 0, fraction.count <= 18 else { return pass(body) }
        self.at = at &+ fraction.count &+ 2
        return Decimal(
            whole: whole.value, fraction: fraction.value, fractionDigits: UInt8(truncatingIfNeeded: fraction.count), isNegative: isNegative)
    }

    /// Passes over a field that is not a number.
    private mutating func pass(_ body: RawSpan) -> Decimal? {
        _ = field(body)
        return nil
    }

    /// A decimal number.
    mutating func decimal(_ body: RawSpan) -> Double? {
        guard at &+ 9 <= body.byteCount else { return number(body)?.value }
        let first = body.byte(at: at)
        if first == UInt8(ascii: ",") {
            at &+= 1
            return nil
        }
        let isNegative = first == UInt8(ascii: "-")
        let start = isNegative ? at &+ 1 : at
        guard let short = ShortDecimal(body.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian) else {
            return number(body)?.value
        }
        at = start &+ short.length &+ 1
        return isNegative ? -short.value : short.value
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
        // Nearly always one digit or two.
        if at &+ 2 < body.byteCount {
            let first = body.byte(at: at) &- 48
            let second = body.byte(at: at &+ 1)
            if first < 10 && second == UInt8(ascii: ",") {
                at &+= 2
                return first
            }
            if first < 10, second &- 48 < 10, body.byte(at: at &+ 2) == UInt8(ascii: ",") {
                at &+= 3
                return first &* 10 &+ (second &- 48)
            }
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
