/// Latitude and longitude in degrees as a sentence reports them. Only their range is checked.
public struct Position: Sendable, Hashable {
    /// Degrees north, -90 ... 90.
    public var latitude: Double
    /// Degrees east, -180 ... 180.
    public var longitude: Double
    /// The number of decimals of the minutes, 0 ... 9: 3 on old marine receivers (1.8 m), 5 on
    /// u-blox (2 cm), 7 or 8 on RTK receivers.
    public var minuteDecimals: UInt8
}

extension FieldReader {
    /// Parses `ddmm.mmmm,N,dddmm.mmmm,E`; nil if any of the four fields is empty or out of range.
    /// Leading zeros may be missing.
    mutating func position(_ body: RawSpan) -> Position? {
        let latitude = angle(body, positive: UInt8(ascii: "N"), negative: UInt8(ascii: "S"), limit: 90)
        let longitude = angle(body, positive: UInt8(ascii: "E"), negative: UInt8(ascii: "W"), limit: 180)
        guard let latitude, let longitude else { return nil }
        return Position(
            latitude: latitude.degrees, longitude: longitude.degrees,
            minuteDecimals: min(latitude.decimals, longitude.decimals))
    }

    @inline(__always)
    private mutating func angle(_ body: RawSpan, positive: UInt8, negative: UInt8, limit: Double) -> (
        degrees: Double, decimals: UInt8
    )? {
        let parsed = ReportedAngle(short: body, reader: &self) ?? ReportedAngle(long: body, reader: &self)
        let side = letter(body)
        guard let parsed, let side else { return nil }
        let degrees = parsed.value
        // Accept 60.0000 minutes: some receivers split the angle before they round it.
        guard parsed.minutesInBillionths <= 60_000_000_000, degrees <= limit else { return nil }
        if side == positive { return (degrees, parsed.decimals) }
        return side == negative ? (-degrees, parsed.decimals) : nil
    }

    /// Parses `latitude,longitude` in signed decimal degrees, the format of Quectel; nil if either
    /// is empty or out of range.
    mutating func decimalPosition(_ body: RawSpan) -> Position? {
        let latitude = number(body)
        let longitude = number(body)
        guard let latitude, let longitude, abs(latitude.value) <= 90, abs(longitude.value) <= 180 else { return nil }
        // For equal resolution, decimal degrees need two more decimals than decimal minutes.
        let decimals = max(0, min(latitude.fractionDigits, longitude.fractionDigits) - 2)
        return Position(latitude: latitude.value, longitude: longitude.value, minuteDecimals: UInt8(decimals))
    }
}

// Wrapping arithmetic: offsets and digits of a field are bounded by the length of a sentence,
// and this code runs for every field.

/// An angle `ddmm.mmmm` or `dddmm.mmmm`, split into integers. A `Double` of the whole number would
/// lose precision with 8 decimals of a minute.
struct ReportedAngle {
    /// Whole degrees.
    private let degrees: Int64
    /// Minutes, in units of 10 to the power of -9.
    let minutesInBillionths: Int64
    /// The number of decimals of the minutes, 0 ... 9.
    let decimals: UInt8

    @inline(__always)
    var value: Double { Double(degrees) + Double(minutesInBillionths) / 60e9 }

    /// Parses up to five digits, a point and one to seven digits, the usual form. Nil for any other
    /// form; the reader then stays at the field.
    @inline(__always)
    init?(short body: RawSpan, reader: inout FieldReader) {
        let first = EightByteDigits(reader.nextEightBytes(body))
        let width = first.leadingDigitBits
        let fractionReader = FieldReader(at: reader.offset &+ Int(truncatingIfNeeded: width >> 3) &+ 1)
        guard first.byte(above: width) == UInt8(ascii: "."), 8...40 ~= width else { return nil }
        let second = EightByteDigits(fractionReader.nextEightBytes(body))
        let fractionBits = second.leadingDigitBits
        guard second.byte(above: fractionBits) == UInt8(ascii: ","), fractionBits > 0 else { return nil }
        // Align the digits of degrees and minutes with the upper end of the word.
        let pairs = EightByteDigits.pairs(of: first.digits &<< (64 &- width))
        degrees = Int64(truncatingIfNeeded: (pairs >> 16 & 0xFF) &* 100 &+ (pairs >> 32 & 0xFF))
        minutesInBillionths =
            Int64(truncatingIfNeeded: pairs >> 48 & 0xFF) &* 1_000_000_000 &+ second.fraction(bits: fractionBits) &* 10
        decimals = UInt8(truncatingIfNeeded: fractionBits >> 3)
        reader.offset = fractionReader.offset &+ Int(truncatingIfNeeded: fractionBits >> 3) &+ 1
    }

    /// Parses any other form; nil if the field is not an angle.
    init?(long body: RawSpan, reader: inout FieldReader) {
        guard let number = reader.number(body), !number.isNegative else { return nil }
        degrees = number.whole / 100
        minutesInBillionths = number.whole % 100 * 1_000_000_000 + number.fractionInBillionths
        decimals = UInt8(number.fractionDigits)
    }
}
