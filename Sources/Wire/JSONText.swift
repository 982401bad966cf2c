public import FoundationEssentials

/// How values become JSON here: keys in order, so that the same value is the same text on every machine; slashes plain; one line.
public enum JSONText {
    /// The encoder of everything that leaves the programs.
    public static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// A value as one line of JSON, without the line's end. Throws what `JSONEncoder` throws: only a number that is not finite.
    public static func line(_ value: some Encodable) throws -> [UInt8] {
        Array(try encoder().encode(value))
    }
}

/// Rounds for people and for the wire: digits beyond what a receiver can know are noise that costs bytes.
enum Rounded {
    /// 1e-9 degrees, a tenth of a millimetre.
    static func angle(_ degrees: Double) -> Double { to(1e9, degrees) }
    /// Millimetres, millimetres per second, thousandths of a degree or of a DOP.
    static func fine(_ value: Double) -> Double { to(1e3, value) }
    /// See ``fine(_:)``.
    static func fine(_ value: Double?) -> Double? { value.map(fine) }

    private static func to(_ scale: Double, _ value: Double) -> Double {
        let scaled = (value * scale).rounded()
        // Minus zero would print as "-0".
        return scaled == 0 ? 0 : scaled / scale
    }
}
