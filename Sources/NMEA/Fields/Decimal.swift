/// A decimal number as it stands in a sentence: exact, before it is scaled, so that 8 decimals of a minute lose nothing.
///
/// At most 9 digits on either side of the point count: further fraction digits are passed over, further leading ones make it no number.
struct Decimal {
    /// The digits before the point.
    var whole: UInt64
    /// All digits as one number, times 1 over ``scale``.
    var mantissa: UInt64
    /// 10 to the power of ``fractionDigits``.
    var scale: UInt64
    /// Digits behind the point, 0 ... 9.
    var fractionDigits: UInt8
    /// Whether a minus sign stood before it.
    var isNegative: Bool

    /// The number.
    @inline(__always)
    var value: Double {
        let size = Double(mantissa) / Double(scale)
        return isNegative ? -size : size
    }

    /// The part behind the point, in units of 1 over ``scale``.
    @inline(__always)
    var fraction: UInt64 { mantissa &- whole &* scale }
}
