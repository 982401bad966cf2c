import Glibc

/// An angle by its sine and cosine, which is how the geodesic formulas use it: no wrap, no loss near the poles.
struct UnitAngle {
    var sine: Double
    var cosine: Double

    init(sine: Double, cosine: Double) {
        self.sine = sine
        self.cosine = cosine
    }

    /// The direction of a vector (cosine, sine) of any length above zero.
    init(along sine: Double, _ cosine: Double) {
        let length = hypot(sine, cosine)
        self.sine = sine / length
        self.cosine = cosine / length
    }

    init(radians: Double) {
        sine = Glibc.sin(radians)
        cosine = Glibc.cos(radians)
    }

    /// An angle in degrees; exact at multiples of 90, so that a pole is a pole.
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
        // A tiny negative angle rounds to 360 when 360 is added.
        return degrees < 0 ? (degrees + 360 < 360 ? degrees + 360 : 0) : degrees
    }

    /// The angle from `earlier` to this one, radians in -pi ... pi.
    func after(_ earlier: UnitAngle) -> Double {
        atan2(sine * earlier.cosine - cosine * earlier.sine, cosine * earlier.cosine + sine * earlier.sine)
    }
}
