extension FieldReader {
    /// `latitude,longitude` in signed degrees with decimals, as Quectel writes them; nil where either is empty or out of range.
    mutating func decimalPosition(_ body: RawSpan) -> Position? {
        let latitude = number(body)
        let longitude = number(body)
        guard let latitude, let longitude, abs(latitude.value) <= 90, abs(longitude.value) <= 180 else { return nil }
        // A minute has two digits more before the point than the same angle in degrees.
        let decimals = max(0, min(latitude.fractionDigits, longitude.fractionDigits) - 2)
        return Position(latitude: latitude.value, longitude: longitude.value, decimals: UInt8(decimals))
    }
}
