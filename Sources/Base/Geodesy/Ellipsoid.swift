/// The WGS-84 ellipsoid (NGA.STND.0036, 2014), the reference surface of every coordinate in this
/// package.
public enum Ellipsoid {
    /// Equatorial radius a, metres.
    public static let equatorialRadius = 6_378_137.0
    /// Flattening f = (a - b) / a.
    public static let flattening = 1 / 298.257_223_563
    /// Polar radius b, metres.
    public static let polarRadius = equatorialRadius * (1 - flattening)
    /// Third flattening n = (a - b) / (a + b).
    static let thirdFlattening = flattening / (2 - flattening)
    /// First eccentricity squared.
    static let eccentricitySquared = flattening * (2 - flattening)
    /// Second eccentricity squared.
    static let secondEccentricitySquared = eccentricitySquared / (1 - eccentricitySquared)

    /// Returns the radii of curvature at a latitude, in metres: along the meridian, and across it
    /// (prime vertical).
    ///
    /// - Parameter sine: The sine of the geodetic latitude.
    static func curvature(sine: Double) -> (meridian: Double, primeVertical: Double) {
        let w2 = 1 - eccentricitySquared * sine * sine
        let primeVertical = equatorialRadius / w2.squareRoot()
        return (primeVertical * (1 - eccentricitySquared) / w2, primeVertical)
    }
}
