import Glibc

/// An angle as its sine and cosine, the form that the geodesic formulas use: no wrap and no loss of
/// precision near the poles.
struct UnitAngle {
    var sine: Double
    var cosine: Double

    init(sine: Double, cosine: Double) {
        self.sine = sine
        self.cosine = cosine
    }

    /// Creates the direction of a vector (cosine, sine) of any length above zero.
    init(along sine: Double, _ cosine: Double) {
        let length = hypot(sine, cosine)
        self.sine = sine / length
        self.cosine = cosine / length
    }

    init(radians: Double) {
        sine = Glibc.sin(radians)
        cosine = Glibc.cos(radians)
    }

    /// Creates an angle from degrees. Multiples of 90 are exact, so that a pole is exactly a pole.
    init(degrees: Double) {
        let quarter = (degrees / 90).rounded()
        let rest = (degrees - quarter * 90) * .pi / 180
        let (s, c) = (Glibc.sin(rest), Glibc.cos(rest))
        switch Int(quarter.remainder(dividingBy: 4)) {
        case 0: (sine, cosine) = (s, c)
        case 1: (sine, cosine) = (c, -s)
        case -1: (sine, cosine) = (-c, s)
        default: (sine, cosine) = (-s, -c)
        }
    }

    /// Radians, -pi ... pi.
    var radians: Double { atan2(sine, cosine) }

    /// Degrees clockwise from north, 0 ..< 360.
    var bearing: Double {
        let degrees = radians * 180 / .pi
        // Adding 360 to a tiny negative angle gives exactly 360.
        return degrees < 0 ? (degrees + 360 < 360 ? degrees + 360 : 0) : degrees
    }

    /// Returns the angle from `earlier` to this one, radians in -pi ... pi.
    func after(_ earlier: UnitAngle) -> Double {
        atan2(sine * earlier.cosine - cosine * earlier.sine, cosine * earlier.cosine + sine * earlier.sine)
    }
}
