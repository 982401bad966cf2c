// Wrapping arithmetic: offsets and digits of a field are bounded by the length of a sentence,
// and this code runs for every field.

/// A cursor that reads the fields of a sentence's body in order.
///
/// Each call takes the body as a parameter, because a struct that holds a span cannot be stored.
/// Fields beyond the last one read as empty, because newer NMEA versions append fields to
/// sentences.
struct FieldReader {
    /// The offset of the next field.
    var offset: Int

    /// Creates a reader whose next field begins at `offset`.
    @inline(__always)
    init(at offset: Int) {
        self.offset = offset
    }

    @inline(__always)
    func atEnd(_ body: RawSpan) -> Bool { offset > body.byteCount }

    /// Returns the next eight bytes, which contain most fields completely.
    ///
    /// Bytes beyond the end of the body read as commas. The last field then needs no special case,
    /// and a field beyond it is empty.
    @inline(__always)
    func nextEightBytes(_ body: RawSpan) -> UInt64 {
        body.containsWord(at: offset)
            ? body.word(at: offset) : body.paddedWord(at: offset, filler: 0x2C2C_2C2C_2C2C_2C2C)
    }

    /// Returns the byte range of the next field; the range is empty if the field is empty or
    /// absent.
    mutating func field(_ body: RawSpan) -> Range<Int> {
        let start = min(offset, body.byteCount)
        var end = start
        while end < body.byteCount, body.byte(at: end) != UInt8(ascii: ",") { end &+= 1 }
        offset = end &+ 1
        return start..<end
    }

    mutating func skip(_ body: RawSpan, count fields: Int = 1) {
        for _ in 0..<fields { _ = field(body) }
    }

    /// Reads a letter, the first if the field has several; nil if the field is empty. Callers also
    /// use it to skip units.
    @inline(__always)
    @discardableResult
    mutating func letter(_ body: RawSpan) -> UInt8? {
        let bytes = nextEightBytes(body)
        let first = UInt8(truncatingIfNeeded: bytes)
        if first == UInt8(ascii: ",") {
            offset &+= 1
            return nil
        }
        if UInt8(truncatingIfNeeded: bytes >> 8) == UInt8(ascii: ",") { offset &+= 2 } else { skip(body) }
        return first
    }

    /// Parses a number of any length; nil if the field is empty or not a number.
    mutating func number(_ body: RawSpan) -> DecimalField? {
        DecimalField(body, in: field(body))
    }

    /// Parses a decimal number; nil if the field is empty or not a number.
    mutating func decimal(_ body: RawSpan) -> Double? {
        let bytes = nextEightBytes(body)
        let first = UInt8(truncatingIfNeeded: bytes)
        if first == UInt8(ascii: ",") {
            offset &+= 1
            return nil
        }
        let isNegative = first == UInt8(ascii: "-")
        let sign = isNegative ? 1 : 0
        guard let short = ShortDecimal(EightByteDigits(bytes &>> UInt64(sign << 3))) else { return number(body)?.value }
        offset &+= short.byteCount &+ sign &+ 1
        return isNegative ? -short.value : short.value
    }

    /// Parses a non-negative integer and drops a fraction; nil if the field is empty or not such a
    /// number.
    mutating func integer(_ body: RawSpan) -> Int? {
        let word = EightByteDigits(nextEightBytes(body))
        let width = word.leadingDigitBits
        guard word.byte(above: width) == UInt8(ascii: ",") else {
            guard let number = number(body), !number.isNegative else { return nil }
            return Int(number.whole)
        }
        offset &+= Int(truncatingIfNeeded: width >> 3) &+ 1
        return width == 0 ? nil : Int(word.integer(bits: width))
    }

    /// Parses an integer from 0 to 255; nil for anything else.
    mutating func byte(_ body: RawSpan) -> UInt8? {
        // Fast path for one or two digits, the usual case.
        let bytes = nextEightBytes(body)
        let first = UInt8(truncatingIfNeeded: bytes) &- 48
        let second = UInt8(truncatingIfNeeded: bytes >> 8)
        if first < 10 && second == UInt8(ascii: ",") {
            offset &+= 2
            return first
        }
        if first < 10, second &- 48 < 10, UInt8(truncatingIfNeeded: bytes >> 16) == UInt8(ascii: ",") {
            offset &+= 3
            return first &* 10 &+ (second &- 48)
        }
        return integer(body).flatMap { UInt8(exactly: $0) }
    }

    /// Parses one hexadecimal digit; nil for anything else.
    mutating func hexadecimalDigit(_ body: RawSpan) -> UInt8? {
        let range = field(body)
        guard range.count == 1, let value = body.byte(at: range.lowerBound).hexadecimal else { return nil }
        return value
    }

    /// Returns the number of fields left, without reading them.
    func remaining(_ body: RawSpan) -> Int {
        guard offset <= body.byteCount else { return 0 }
        var commas = 0
        for offset in offset..<body.byteCount where body.byte(at: offset) == UInt8(ascii: ",") { commas += 1 }
        return commas + 1
    }

    /// Returns the next field packed like the letters of an ``Address``, for comparison with a
    /// short name. Returns 0 if the field is empty or longer than eight bytes.
    mutating func packedName(_ body: RawSpan) -> UInt64 {
        let range = field(body)
        guard range.count <= 8 else { return 0 }
        return range.reduce(0) { $0 << 8 | UInt64(body.byte(at: $1)) }
    }
}

// Wrapping arithmetic: offsets and digits of a field are bounded by the length of a sentence,
// and this code runs for every field.

/// A decimal number that fits into eight bytes, including its point and the following comma. Nearly
/// all speeds, altitudes and DOPs do.
struct ShortDecimal {
    let value: Double
    /// The number of bytes before the comma.
    let byteCount: Int

    /// Parses eight bytes; nil if they do not contain such a number.
    @inline(__always)
    init?(_ word: EightByteDigits) {
        let point = word.leadingDigitBits
        let mark = word.byte(above: point)
        if mark == UInt8(ascii: ",") && point > 0 {
            byteCount = Int(truncatingIfNeeded: point >> 3)
            value = Double(word.integer(bits: point))
            return
        }
        let after = word.nonDigitMask & (word.nonDigitMask &- 1)
        let comma = UInt64(truncatingIfNeeded: after.trailingZeroBitCount) & ~7
        guard mark == UInt8(ascii: "."), word.byte(above: comma) == UInt8(ascii: ","), comma > 8 else { return nil }
        // Remove the point: join the digits before and after it.
        let whole: UInt64 = (1 &<< point) &- 1
        let joined = (word.digits & whole) | (word.digits >> 8 & ~whole)
        byteCount = Int(truncatingIfNeeded: comma >> 3)
        value = Double(EightByteDigits.value(of: joined &<< (72 &- comma))) / ShortDecimal.scale((comma &- point) >> 3)
    }

    /// Returns 10 to the power of `bytes` - 1, because `bytes` includes the point.
    @inline(__always)
    private static func scale(_ bytes: UInt64) -> Double {
        switch bytes {
        case 1: 1
        case 2: 10
        case 3: 100
        case 4: 1000
        case 5: 10_000
        case 6: 100_000
        default: 1_000_000
        }
    }
}
