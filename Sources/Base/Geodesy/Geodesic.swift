import Glibc

/// Shortest paths on the WGS-84 ellipsoid, after Karney (2013, see ``GeodesicSeries``).
///
/// Both solutions are accurate to better than 20 nanometres for every pair of points, including
/// antipodal ones.
public enum Geodesic {
    /// A shortest path between two points.
    public struct Path: Sendable, Hashable {
        /// The length in metres, 0 ... 20,003,931.5.
        public var distance: Double
        /// The direction of travel at the start, degrees clockwise from true north, 0 ..< 360; 0 if
        /// the points coincide.
        public var initialBearing: Double
        /// The direction of travel at the end, degrees clockwise from true north, 0 ..< 360.
        public var finalBearing: Double
    }

    /// Returns the point at a distance along a bearing (the direct problem).
    ///
    /// - Parameters:
    ///   - start: The start of the path.
    ///   - bearing: Degrees clockwise from true north; any finite number.
    ///   - distance: Metres; a negative value goes backwards, and a value that is not finite counts
    ///     as zero.
    /// - Returns: The end and the direction of travel there, in degrees, 0 ..< 360.
    public static func direct(from start: Coordinate, bearing: Double, distance: Double) -> (
        end: Coordinate, finalBearing: Double
    ) {
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
        let correction =
            Ellipsoid.flattening * sphere.sineAzimuth * east.factor * (arc + east.sines(sigma2) - east.sines(sigma1))
        let longitude = start.longitude + (sphere.longitude(sigma2).after(omega1) - correction) * 180 / .pi

        let sineBeta = sphere.cosineAzimuth * sigma2.sine
        let cosineBeta = hypot(sphere.sineAzimuth, sphere.cosineAzimuth * sigma2.cosine)
        let latitude = atan2(sineBeta, (1 - Ellipsoid.flattening) * cosineBeta) * 180 / .pi
        let end = Coordinate(latitude: min(max(latitude, -90), 90), longitude: longitude.remainder(dividingBy: 360))
        return (end ?? start, UnitAngle(sine: sphere.sineAzimuth, cosine: sphere.cosineAzimuth * sigma2.cosine).bearing)
    }

    /// Returns the sine and cosine of the reduced latitude. The cosine is never zero, so that an
    /// azimuth at a pole stays defined.
    static func reducedLatitude(_ degrees: Double) -> UnitAngle {
        let phi = UnitAngle(degrees: degrees)
        let beta = UnitAngle(along: (1 - Ellipsoid.flattening) * phi.sine, phi.cosine)
        return UnitAngle(sine: beta.sine, cosine: max(beta.cosine, 1e-150))
    }
}

/// The sphere on which a geodesic is a great circle, identified by the azimuth at which that circle
/// crosses the equator.
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

    /// Returns the arc length from the equator crossing to a point.
    func arc(azimuth: UnitAngle, latitude beta: UnitAngle) -> UnitAngle {
        let along = azimuth.cosine * beta.cosine
        return beta.sine == 0 && along == 0 ? UnitAngle(sine: 0, cosine: 1) : UnitAngle(along: beta.sine, along)
    }

    /// Returns the spherical longitude from the equator crossing to the point at an arc length.
    func longitude(_ arc: UnitAngle) -> UnitAngle {
        UnitAngle(sine: sineAzimuth * arc.sine, cosine: arc.cosine)
    }
}
