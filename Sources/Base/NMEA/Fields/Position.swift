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
