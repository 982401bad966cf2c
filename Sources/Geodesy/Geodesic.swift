import Glibc

/// Shortest paths on the WGS-84 ellipsoid, after Karney (2013, see ``GeodesicSeries``).
///
/// Both problems are right for every pair of points, antipodal ones included, to better than 20 nanometres.
public enum Geodesic {
    /// A shortest path between two points.
    public struct Path: Sendable, Hashable {
        /// Length in metres, 0 ... 20,003,931.5.
        public var distance: Double
        /// Direction of travel at the start, degrees clockwise from true north, 0 ..< 360. North when the points coincide.
        public var initialBearing: Double
        /// Direction of travel at the end, likewise.
        public var finalBearing: Double
    }

    /// The point reached by setting out on a bearing and going on for a distance (the direct problem).
    ///
    /// - Parameters:
    ///   - start: Where the path begins.
    ///   - bearing: Degrees clockwise from true north; any finite number.
    ///   - distance: Metres; negative goes backwards. Not finite counts as zero.
    /// - Returns: The end and the direction of travel there, degrees 0 ..< 360.
    public static func direct(from start: Coordinate, bearing: Double, distance: Double) -> (end: Coordinate, finalBearing: Double) {
        guard distance.isFinite, bearing.isFinite else { return (start, 0) }
        let azimuth = UnitAngle(degrees: bearing.remainder(dividingBy: 360))
        let beta = reducedLatitude(start.latitude)
        let sphere = AuxiliarySphere(azimuth: azimuth, latitude: beta)
        let sigma1 = sphere.arc(azimuth: azimuth, latitude: beta)
        let omega1 = sphere.longitude(sigma1)

        let length = GeodesicSeries.distance(sphere.epsilon)
        let tau = sigma1.radians + length.sines(sigma1) + distance / (Ellipsoid.polarRadius * length.factor)
        let sigma2 = UnitAngle(radians: tau + GeodesicSeries.arc(sphere.epsilon)(UnitAngle(radians: tau)))

        let arc = distance / (Ellipsoid.polarRadius * length.factor) + length.sines(sigma1) - length.sines(sigma2)
        let east = GeodesicSeries.longitude(sphere.epsilon)
        let correction = Ellipsoid.flattening * sphere.sineAzimuth * east.factor * (arc + east.sines(sigma2) - east.sines(sigma1))
        let longitude = start.longitude + (sphere.longitude(sigma2).after(omega1) - correction) * 180 / .pi

        let sineBeta = sphere.cosineAzimuth * sigma2.sine
        let cosineBeta = hypot(sphere.sineAzimuth, sphere.cosineAzimuth * sigma2.cosine)
        let latitude = atan2(sineBeta, (1 - Ellipsoid.flattening) * cosineBeta) * 180 / .pi
        let end = Coordinate(latitude: min(max(latitude, -90), 90), longitude: longitude.remainder(dividingBy: 360))
        return (end ?? start, UnitAngle(sine: sphere.sineAzimuth, cosine: sphere.cosineAzimuth * sigma2.cosine).bearing)
    }

    /// Sine and cosine of the reduced latitude; the cosine never vanishes, so that an azimuth at a pole keeps its meaning.
    static func reducedLatitude(_ degrees: Double) -> UnitAngle {
        let phi = UnitAngle(degrees: degrees)
        let beta = UnitAngle(along: (1 - Ellipsoid.flattening) * phi.sine, phi.cosine)
        return UnitAngle(sine: beta.sine, cosine: max(beta.cosine, 1e-150))
    }
}

/// The sphere on which a geodesic is a great circle, told apart by the azimuth at which that circle crosses the equator.
struct AuxiliarySphere {
    let sineAzimuth: Double
    let cosineAzimuth: Double
    /// The expansion parameter of every series, equation 16.
    let epsilon: Double

    init(azimuth: UnitAngle, latitude beta: UnitAngle) {
        sineAzimuth = azimuth.sine * beta.cosine
        cosineAzimuth = hypot(azimuth.cosine, azimuth.sine * beta.sine)
        let k2 = cosineAzimuth * cosineAzimuth * Ellipsoid.secondEccentricitySquared
        epsilon = k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
    }

    /// Arc length from the equator crossing to a point.
    func arc(azimuth: UnitAngle, latitude beta: UnitAngle) -> UnitAngle {
        let along = azimuth.cosine * beta.cosine
        return beta.sine == 0 && along == 0 ? UnitAngle(sine: 0, cosine: 1) : UnitAngle(along: beta.sine, along)
    }

    /// Spherical longitude from the equator crossing to a point at that arc length.
    func longitude(_ arc: UnitAngle) -> UnitAngle {
        UnitAngle(sine: sineAzimuth * arc.sine, cosine: arc.cosine)
    }
}
