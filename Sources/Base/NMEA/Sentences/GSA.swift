/// Satellites used and dilution of precision (NMEA 0183 GSA). Newer receivers send one sentence per
/// constellation.
public struct GSA: Sendable {
    /// The maximum number of satellites: 12 in the standard, 24 on Navior.
    public static let capacity = 24

    /// 1 no fix, 2 two-dimensional, 3 three-dimensional; nil if empty or a letter (Antaris sends
    /// `E`).
    public var fixMode: UInt8?
    /// The satellite numbers as sent; see `SatelliteNumber` in Positioning. Only the first
    /// ``count`` are valid.
    public var numbers = InlineArray<24, UInt16>(repeating: 0)
    /// The number of valid entries in ``numbers``.
    public var count: UInt8 = 0
    /// Position dilution of precision as reported.
    @Reported public var pdop: Double?
    /// Horizontal dilution of precision as reported.
    @Reported public var hdop: Double?
    /// Vertical dilution of precision as reported.
    @Reported public var vdop: Double?
    /// NMEA 4.1 system id, 1 ... 6; nil before 4.1.
    public var systemID: UInt8?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        reader.skip(body)
        fixMode = reader.byte(body)
        // There are 12 slots, on Navior 24. Without a fix i.Trek's M3 sends only `A,1,,,,`.
        let fields = reader.remaining(body)
        let slots = fields >= 27 ? 24 : min(12, fields)
        for _ in 0..<slots {
            guard let number = reader.integer(body), number > 0, number <= 0xFFFF else { continue }
            numbers[Int(count)] = UInt16(number)
            count += 1
        }
        pdop = reader.decimal(body)
        hdop = reader.decimal(body)
        vdop = reader.decimal(body)
        // SiRF Atlas VI sends TDOP in this field. Only a single digit, 1 ... 6, is a system id.
        if let id = reader.hexadecimalDigit(body), (1...6).contains(id) { systemID = id }
    }
}
