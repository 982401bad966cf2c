/// Latitude and longitude as a sentence states them, in degrees; range checked, not otherwise judged.
public struct Position: Sendable, Hashable {
    /// Degrees north, -90 ... 90.
    public var latitude: Double
    /// Degrees east, -180 ... 180.
    public var longitude: Double
    /// Fraction digits of its minutes, 0 ... 9: 3 on old marine receivers (1.8 m), 5 on u-blox (2 cm), 7 or 8 on RTK.
    public var decimals: UInt8
}

extension FieldReader {
    /// `ddmm.mmmm,N,dddmm.mmmm,E`; nil where any of the four is empty or out of range. Leading zeros may be missing.
    mutating func position(_ body: RawSpan) -> Position? {
        let latitude = angle(body, positive: UInt8(ascii: "N"), negative: UInt8(ascii: "S"), limit: 90)
        let longitude = angle(body, positive: UInt8(ascii: "E"), negative: UInt8(ascii: "W"), limit: 180)
        guard let latitude, let longitude else { return nil }
        return Position(latitude: latitude.degrees, longitude: longitude.degrees, decimals: min(latitude.decimals, longitude.decimals))
    }

    @inline(__always)
    private mutating func angle(_ body: RawSpan, positive: UInt8, negative: UInt8, limit: Double) -> (degrees: Double, decimals: UInt8)? {
        let stated = StatedAngle(short: body, &self) ?? StatedAngle(long: body, &self)
        let side = letter(body)
        guard let stated, let side else { return nil }
        let degrees = stated.value
        // 60.0000 minutes occur: receivers round after splitting.
        guard stated.billionths <= 60_000_000_000, degrees <= limit else { return nil }
        if side == positive { return (degrees, stated.decimals) }
        return side == negative ? (-degrees, stated.decimals) : nil
    }
}
