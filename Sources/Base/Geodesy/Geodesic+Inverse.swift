import Glibc

extension Geodesic {
    /// Returns the shortest path between two points (the inverse problem).
    public static func inverse(from start: Coordinate, to end: Coordinate) -> Path {
        // Symmetry reduces the problem to one case: the start lies south, farthest from the
        // equator, and the end lies east.
        let difference = (end.longitude - start.longitude).remainder(dividingBy: 360)
        let east = difference < 0 ? -1.0 : 1.0
        let swapped = abs(start.latitude) < abs(end.latitude)
        let (far, near) = swapped ? (end.latitude, start.latitude) : (start.latitude, end.latitude)
        let south = far < 0 ? 1.0 : -1.0
        let problem = InverseProblem(latitude1: south * far, latitude2: south * near, longitude: abs(difference))
        let solution = problem.solve()

        let turn = swapped ? -1.0 : 1.0
        let (first, second) = swapped ? (solution.azimuth2, solution.azimuth1) : (solution.azimuth1, solution.azimuth2)
        func bearing(_ azimuth: UnitAngle) -> Double {
            UnitAngle(sine: azimuth.sine * east + 0, cosine: azimuth.cosine * turn * south + 0).bearing
        }
        if solution.distance == 0 { return Path(distance: 0, initialBearing: 0, finalBearing: 0) }
        return Path(distance: solution.distance, initialBearing: bearing(first), finalBearing: bearing(second))
    }
}

/// The inverse problem in its canonical form: latitude1 <= 0, |latitude2| <= -latitude1, 0 <=
/// longitude <= 180.
private struct InverseProblem {
    typealias Solution = (distance: Double, azimuth1: UnitAngle, azimuth2: UnitAngle)

    let beta1: UnitAngle
    let beta2: UnitAngle
    let lambda: UnitAngle
    let longitude: Double
    let atPole: Bool

    init(latitude1: Double, latitude2: Double, longitude: Double) {
        beta1 = Geodesic.reducedLatitude(latitude1)
        beta2 = Geodesic.reducedLatitude(latitude2)
        lambda = UnitAngle(degrees: longitude)
        self.longitude = longitude
        atPole = latitude1 == -90
    }

    func solve() -> Solution {
        if let solution = alongMeridian() ?? alongEquator() ?? shortPath() { return solution }
        return byNewton()
    }

    private func alongMeridian() -> Solution? {
        guard atPole || lambda.sine == 0 else { return nil }
        let (start, end) = (lambda, UnitAngle(sine: 0, cosine: 1))
        let sphere = AuxiliarySphere(azimuth: start, latitude: beta1)
        let trial = Trial(
            sphere: sphere, sigma1: UnitAngle(along: beta1.sine, start.cosine * beta1.cosine),
            sigma2: UnitAngle(along: beta2.sine, end.cosine * beta2.cosine), beta1: beta1, beta2: beta2)
        // Past the conjugate point the meridian is no longer the shortest path.
        guard trial.arc < 1 || trial.reducedLength >= 0 else { return nil }
        return (trial.distance, start, end)
    }

    private func alongEquator() -> Solution? {
        guard beta1.sine == 0, longitude <= 180 * (1 - Ellipsoid.flattening) else { return nil }
        let azimuth = UnitAngle(sine: 1, cosine: 0)
        return (Ellipsoid.equatorialRadius * longitude * .pi / 180, azimuth, azimuth)
    }

    /// Returns the solution for points less than about 0.2 m apart. There the ellipsoid is a sphere
    /// of the local scale, and Newton's method loses its precision.
    private func shortPath() -> Solution? {
        guard lambda.cosine > 0.9 else { return nil }
        let sines = (beta1.sine + beta2.sine) * (beta1.sine + beta2.sine)
        let cosines = (beta1.cosine + beta2.cosine) * (beta1.cosine + beta2.cosine)
        let scale = (1 + Ellipsoid.secondEccentricitySquared * sines / (sines + cosines)).squareRoot()
        let omega = UnitAngle(radians: longitude * .pi / 180 / ((1 - Ellipsoid.flattening) * scale))
        let guess = sphericalAzimuths(omega)
        let sine = hypot(guess.start.sine, guess.start.cosine)
        guard sine < 3.6e-8 else { return nil }
        let cosine = beta1.sine * beta2.sine + beta1.cosine * beta2.cosine * omega.cosine
        if sine == 0 { return (0, UnitAngle(sine: 0, cosine: 1), UnitAngle(sine: 0, cosine: 1)) }
        return (atan2(sine, cosine) * Ellipsoid.polarRadius * scale, guess.start, guess.end)
    }

    /// Returns the azimuths of the great circle across a spherical longitude. They are not
    /// normalised: their length is the sine of the arc.
    private func sphericalAzimuths(_ omega: UnitAngle) -> (start: UnitAngle, end: UnitAngle) {
        let difference = beta2.sine * beta1.cosine - beta2.cosine * beta1.sine
        // 1 - cos, without cancellation when the points are close.
        let versine = omega.cosine >= 0 ? omega.sine * omega.sine / (1 + omega.cosine) : 1 - omega.cosine
        return (
            UnitAngle(sine: beta2.cosine * omega.sine, cosine: difference + beta2.cosine * beta1.sine * versine),
            UnitAngle(sine: beta1.cosine * omega.sine, cosine: difference - beta1.cosine * beta2.sine * versine)
        )
    }

    /// Finds the azimuth that leads to the required longitude.
    ///
    /// The longitude grows with the azimuth. The method therefore keeps a bracket, and bisects it
    /// if a Newton step leaves it. It always converges, and is slow only for nearly antipodal
    /// points.
    ///
    /// The unknown is the azimuth minus a right angle. It is small where a path runs east along the
    /// equator and needs full precision.
    private func byNewton() -> Solution {
        var low = -Double.pi / 2
        var high = Double.pi / 2
        let start = sphericalAzimuths(lambda).start
        var turn = min(max(atan2(-start.cosine, start.sine), low + 1e-12), high - 1e-12)
        var trial = self.trial(turn)
        for _ in 0..<100 {
            let error = trial.longitudeError(lambda)
            if abs(error) < 1e-15 { break }
            if error > 0 { high = turn } else { low = turn }
            let newton = turn - error / trial.longitudeSlope
            let next = newton > low && newton < high ? newton : (low + high) / 2
            if next == turn { break }
            turn = next
            trial = self.trial(turn)
        }
        return (trial.distance, trial.azimuth1, trial.azimuth2)
    }

    private func trial(_ turn: Double) -> Trial {
        Trial(azimuth: UnitAngle(sine: cos(turn), cosine: -sin(turn)), beta1: beta1, beta2: beta2)
    }
}

/// The geodesic that leaves the first latitude on a given azimuth, up to its first intersection
/// with the second latitude.
private struct Trial {
    let sphere: AuxiliarySphere
    let beta1: UnitAngle
    let beta2: UnitAngle
    let azimuth1: UnitAngle
    let azimuth2: UnitAngle
    let sigma1: UnitAngle
    let sigma2: UnitAngle
    /// The arc length on the auxiliary sphere, radians 0 ... pi.
    let arc: Double

    init(sphere: AuxiliarySphere, sigma1: UnitAngle, sigma2: UnitAngle, beta1: UnitAngle, beta2: UnitAngle) {
        self.sphere = sphere
        self.beta1 = beta1
        self.beta2 = beta2
        self.sigma1 = sigma1
        self.sigma2 = sigma2
        (azimuth1, azimuth2) = (UnitAngle(sine: 0, cosine: 1), UnitAngle(sine: 0, cosine: 1))
        arc = Trial.forward(sigma2, after: sigma1)
    }

    init(azimuth: UnitAngle, beta1: UnitAngle, beta2: UnitAngle) {
        (self.beta1, self.beta2) = (beta1, beta2)
        sphere = AuxiliarySphere(azimuth: azimuth, latitude: beta1)
        azimuth1 = azimuth
        azimuth2 = Trial.arrival(azimuth, beta1: beta1, beta2: beta2)
        sigma1 = sphere.arc(azimuth: azimuth1, latitude: beta1)
        sigma2 = sphere.arc(azimuth: azimuth2, latitude: beta2)
        arc = Trial.forward(sigma2, after: sigma1)
    }

    /// Clairaut's relation for a northward arrival, written so that equal latitudes give exactly
    /// equal azimuths.
    private static func arrival(_ azimuth: UnitAngle, beta1: UnitAngle, beta2: UnitAngle) -> UnitAngle {
        guard beta2.cosine != beta1.cosine || abs(beta2.sine) != -beta1.sine else {
            return UnitAngle(sine: azimuth.sine, cosine: abs(azimuth.cosine))
        }
        let along = azimuth.cosine * beta1.cosine
        let change =
            beta1.cosine < -beta1.sine
            ? (beta2.cosine - beta1.cosine) * (beta1.cosine + beta2.cosine)
            : (beta1.sine - beta2.sine) * (beta1.sine + beta2.sine)
        let northward = max(along * along + change, 0).squareRoot()
        return UnitAngle(sine: azimuth.sine * beta1.cosine / beta2.cosine, cosine: northward / beta2.cosine)
    }

    /// Returns the angle between two points of the path, never negative.
    private static func forward(_ later: UnitAngle, after earlier: UnitAngle) -> Double {
        let sine = earlier.cosine * later.sine - earlier.sine * later.cosine
        // Adding zero turns a negative zero into a positive one, and thus -pi into pi.
        return atan2(max(0, sine) + 0, earlier.cosine * later.cosine + earlier.sine * later.sine)
    }

    /// The distance in metres along the ellipsoid.
    var distance: Double {
        let series = GeodesicSeries.distance(sphere.epsilon)
        return Ellipsoid.polarRadius * series.factor * (arc + series.sines(sigma2) - series.sines(sigma1))
    }

    /// Returns the longitude reached minus the required longitude, in radians.
    func longitudeError(_ required: UnitAngle) -> Double {
        let omega = UnitAngle(radians: Trial.forward(sphere.longitude(sigma2), after: sphere.longitude(sigma1)))
        let series = GeodesicSeries.longitude(sphere.epsilon)
        let correction =
            Ellipsoid.flattening * sphere.sineAzimuth * series.factor
            * (arc + series.sines(sigma2) - series.sines(sigma1))
        return omega.after(required) - correction
    }

    /// The derivative of the longitude reached with respect to the azimuth at the start, equation
    /// 46; infinite if it does not exist.
    var longitudeSlope: Double {
        if azimuth2.cosine == 0 { return -2 * (1 - Ellipsoid.flattening) * stretch(beta1) / beta1.sine }
        return (1 - Ellipsoid.flattening) * reducedLength / (azimuth2.cosine * beta2.cosine)
    }

    /// The reduced length divided by the polar radius, equation 38; negative past the conjugate
    /// point.
    var reducedLength: Double {
        let first = GeodesicSeries.distance(sphere.epsilon)
        let second = GeodesicSeries.reducedLength(sphere.epsilon)
        let j =
            (first.factor - second.factor) * arc + first.factor * (first.sines(sigma2) - first.sines(sigma1))
            - second.factor * (second.sines(sigma2) - second.sines(sigma1))
        return stretch(beta2) * sigma1.cosine * sigma2.sine - stretch(beta1) * sigma1.sine * sigma2.cosine
            - sigma1.cosine * sigma2.cosine * j
    }

    private func stretch(_ beta: UnitAngle) -> Double {
        (1 + Ellipsoid.secondEccentricitySquared * beta.sine * beta.sine).squareRoot()
    }
}
