/// Errors of a Teseo receiver's Kalman filter (`PSTMKFCOV`; ST UM2229).
///
/// The sentence has a standard deviation for position and velocity and variances along the axes, in square metres: in the example that
/// circulates, `4.1,8.2,8.3,9.0,0.922,0.540,0.310,1.051`, each deviation is the root of the sum of its north and east. The roots are given.
public struct PSTMKFCOV: Sendable {
    /// Metres, one sigma.
    @Stated public var north: Double?
    /// Metres, one sigma.
    @Stated public var east: Double?
    /// Metres, one sigma.
    @Stated public var vertical: Double?
    /// Metres per second, root of the summed squares of both axes.
    @Stated public var speed: Double?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        reader.skip(body)
        guard !reader.atEnd(body) else { return nil }
        north = reader.root(body)
        east = reader.root(body)
        vertical = reader.root(body)
        speed = reader.decimal(body)
    }
}

extension FieldReader {
    /// The square root of a number that is not negative.
    fileprivate mutating func root(_ body: RawSpan) -> Double? {
        decimal(body).flatMap { $0 >= 0 ? $0.squareRoot() : nil }
    }
}
