import Glibc

/// The Earth's magnetic field at a place and time, by the World Magnetic Model 2025.
///
/// Sums the harmonics of the model's technical report ("The US/UK World Magnetic Model for
/// 2025-2030", NOAA NCEI and BGS), section 1.2. The model omits the fields of rocks, of the sun and
/// of nearby iron, which also deflect a compass.
public struct MagneticField: Sendable, Equatable {
    /// Nanotesla towards true north.
    public var north: Double
    /// Nanotesla towards east.
    public var east: Double
    /// Nanotesla downwards.
    public var down: Double

    /// The least horizontal intensity for compass use, in nanotesla. The report advises against
    /// using a compass below it (its "blackout zones" about the magnetic poles).
    static let minCompassIntensity = 2000.0

    /// Creates the field at a place and time. Returns nil outside 2025.0 ..< 2030.0, the validity
    /// of the model; its errors are specified for no other years.
    ///
    /// - Parameters:
    ///   - height: Metres above the ellipsoid.
    ///   - year: Decimal year; 2026.5 is the middle of 2026.
    public init?(at place: Coordinate, height: Double = 0, year: Double) {
        guard MagneticModel.validity.contains(year), height.isFinite else { return nil }
        let latitude = UnitAngle(degrees: place.latitude)
        let radius = Ellipsoid.curvature(sine: latitude.sine).primeVertical
        // The geocentric latitude, and its angle to the geodetic latitude.
        let across = (radius + height) * latitude.cosine
        let along = (radius * (1 - Ellipsoid.eccentricitySquared) + height) * latitude.sine
        let geocentric = UnitAngle(along: along, across)
        let tilt = geocentric.after(latitude)
        var sum = HarmonicSum(
            latitude: geocentric, longitude: UnitAngle(degrees: place.longitude), radius: hypot(across, along))
        for index in MagneticModel.harmonics.indices {
            sum.add(MagneticModel.harmonics[index], years: year - MagneticModel.epoch)
        }
        north = sum.north * cos(tilt) - sum.down * sin(tilt)
        east = sum.east
        down = sum.north * sin(tilt) + sum.down * cos(tilt)
    }

    /// The horizontal intensity in nanotesla.
    public var horizontalIntensity: Double { hypot(north, east) }

    /// Degrees from true north to magnetic north, east positive, -180 ... 180; nil where the field
    /// is too steep for a compass.
    ///
    /// The report specifies one sigma as sqrt(0.26² + (5417 / ``horizontalIntensity``)²) degrees,
    /// about 0.4 in middle latitudes.
    public var declination: Double? {
        horizontalIntensity < MagneticField.minCompassIntensity ? nil : atan2(east, north) * 180 / .pi
    }
}

/// Sums harmonics by order, then by degree, so that each Legendre function follows from the
/// previous two.
///
/// For orders above 0 the functions are divided by the cosine of latitude in advance. No later step
/// divides by it, and the poles need no special case.
private struct HarmonicSum {
    private(set) var north = 0.0
    private(set) var east = 0.0
    private(set) var down = 0.0

    private let latitude: UnitAngle
    private let longitude: UnitAngle
    private let ratio: Double
    private var order = 0
    /// The order multiplied by the longitude.
    private var turn = UnitAngle(sine: 0, cosine: 1)
    /// The function of this order with equal degree.
    private var sectoral = 1.0
    /// The functions of this degree and of the previous one; for order 0 also the derivative with
    /// respect to the sine of latitude.
    private var (legendre, before, slope) = (1.0, 0.0, 0.0)

    init(latitude: UnitAngle, longitude: UnitAngle, radius: Double) {
        self.latitude = latitude
        self.longitude = longitude
        ratio = MagneticModel.radius / radius
    }

    mutating func add(_ harmonic: MagneticModel.Harmonic, years: Double) {
        if harmonic.m > order { nextOrder() }
        if harmonic.n > order { nextDegree(Double(harmonic.n)) }
        let (n, m) = (Double(harmonic.n), Double(order))
        let g = harmonic.g + harmonic.gRate * years
        let h = harmonic.h + harmonic.hRate * years
        let factor = pow(ratio, n + 2)
        let inPhase = factor * (g * turn.cosine + h * turn.sine)
        // With respect to colatitude.
        let derivative =
            order == 0 ? -latitude.cosine * slope : n * latitude.sine * legendre - (n * n - m * m).squareRoot() * before
        north += inPhase * derivative
        east += factor * m * (g * turn.sine - h * turn.cosine) * legendre
        down -= (n + 1) * inPhase * legendre * (order == 0 ? 1 : latitude.cosine)
    }

    private mutating func nextOrder() {
        order += 1
        turn = UnitAngle(
            sine: turn.sine * longitude.cosine + turn.cosine * longitude.sine,
            cosine: turn.cosine * longitude.cosine - turn.sine * longitude.sine)
        let m = Double(order)
        if order > 1 { sectoral *= ((2 * m - 1) / (2 * m)).squareRoot() * latitude.cosine }
        (legendre, before) = (sectoral, 0)
    }

    private mutating func nextDegree(_ n: Double) {
        let m = Double(order)
        slope = n * legendre + latitude.sine * slope
        let next = (2 * n - 1) * latitude.sine * legendre - ((n - 1) * (n - 1) - m * m).squareRoot() * before
        (legendre, before) = (next / (n * n - m * m).squareRoot(), legendre)
    }
}
