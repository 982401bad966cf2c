/// Satellites used and dilution of precision (NMEA 0183 GSA). One per constellation on newer receivers.
public struct GSA: Sendable {
    /// Room for satellites: 12 by the standard, 24 on Navior.
    public static let capacity = 24

    /// 1 no fix, 2 two dimensions, 3 three; nil where empty or another letter (Antaris sends `E`).
    public var fixMode: UInt8?
    /// Numbers as sent; see ``SatelliteNumber``. The first ``count`` hold.
    public var numbers = InlineArray<24, UInt16>(repeating: 0)
    /// How many satellites are named.
    public var count: UInt8 = 0
    /// Position dilution of precision as stated.
    @Stated public var pdop: Double?
    /// Horizontal dilution of precision as stated.
    @Stated public var hdop: Double?
    /// Vertical dilution of precision as stated.
    @Stated public var vdop: Double?
    /// NMEA 4.1 system id, 1 ... 6; nil before 4.1.
    public var systemID: UInt8?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        reader.skip(body)
        fixMode = reader.byte(body)
        // 12 slots, or Navior's 24. i.Trek's M3 sends `A,1,,,,` and nothing more when it has no fix.
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
        // SiRF Atlas VI puts a TDOP here: only one digit, 1 ... 6, is a system.
        if let id = reader.hexadecimalDigit(body), (1...6).contains(id) { systemID = id }
    }
}
