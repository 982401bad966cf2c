/// Rounds output values. Digits beyond the precision of a receiver are noise and cost bytes.
package enum MessageRounding {
    /// Rounds to 1e-9 degrees, which is a tenth of a millimetre.
    package static func degrees(_ degrees: Double) -> Double { rounded(degrees, scale: 1e9) }
    /// Rounds to three decimals: millimetres, millimetres per second, thousandths of a degree or of
    /// a DOP.
    package static func thousandths(_ value: Double) -> Double { rounded(value, scale: 1e3) }
    /// See ``thousandths(_:)``.
    package static func thousandths(_ value: Double?) -> Double? { value.map(thousandths) }

    /// Rounds to six decimals: microseconds.
    package static func millionths(_ value: Double?) -> Double? { value.map { rounded($0, scale: 1e6) } }

    private static func rounded(_ value: Double, scale: Double) -> Double {
        let scaled = (value * scale).rounded()
        // Negative zero would print as "-0".
        return scaled == 0 ? 0 : scaled / scale
    }
}
