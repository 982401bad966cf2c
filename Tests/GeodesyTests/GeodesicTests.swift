import Testing

@testable import Geodesy

func point(latitude: Double, longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude))
}

/// A path computed by GeographicLib 2.1 (Python) on WGS-84: metres, and degrees clockwise from
/// north.
struct ReferencePath: Sendable, CustomTestStringConvertible {
    let name: String
    let from: (Double, Double)
    let to: (Double, Double)
    let distance: Double
    let initial: Double
    let final: Double
    var testDescription: String { name }

    static let all = [
        ReferencePath(
            name: "Wellington to Salamanca", from: (-41.32, 174.81), to: (40.96, -5.50), distance: 19_959_679.267353822,
            initial: 161.0676699862, final: 18.8251951232),
        ReferencePath(
            name: "nearly antipodal", from: (-30, 0), to: (29.9, 179.8), distance: 19_989_832.827609532,
            initial: 161.8905247363,
            final: 18.0907372457),
        ReferencePath(
            name: "a quarter of the equator", from: (0, 0), to: (0, 90), distance: 10_018_754.171394622, initial: 90,
            final: 90),
        ReferencePath(
            name: "from the pole", from: (90, 0), to: (-45, 77), distance: 14_986_910.107290467, initial: 103,
            final: 180),
        ReferencePath(
            name: "thirteen metres", from: (47, 8), to: (47.0001, 8.0001), distance: 13.469766257,
            initial: 34.3773826890,
            final: 34.3774558244),
        ReferencePath(
            name: "along the equator", from: (0.001, 10), to: (0.0012, 11), distance: 111_319.492969520,
            initial: 89.9886082475,
            final: 89.9886274466),
        ReferencePath(
            name: "over the date line", from: (-17.5, 179.9), to: (-17.4, -179.8), distance: 33_735.596729606,
            initial: 70.8937457291,
            final: 70.8037834835),
        ReferencePath(
            name: "up a meridian", from: (10, 20), to: (60, 20), distance: 5_548_217.986256140, initial: 0, final: 0),
        ReferencePath(
            name: "half a metre", from: (60, 24), to: (60.000003, 24.000004), distance: 0.401911082,
            initial: 33.7345967049,
            final: 33.7346001690),
    ]
}

@Suite struct GeodesicTests {
    @Test(arguments: ReferencePath.all)
    func `the inverse problem matches the reference`(_ path: ReferencePath) throws {
        let found = Geodesic.inverse(
            from: try point(latitude: path.from.0, longitude: path.from.1),
            to: try point(latitude: path.to.0, longitude: path.to.1))
        #expect(abs(found.distance - path.distance) < 2e-8)
        // Azimuths of short paths carry the rounding of the coordinates.
        let tolerance = max(1e-9, 1e-6 / path.distance)
        #expect(abs(found.initialBearing - path.initial) < tolerance)
        #expect(abs(found.finalBearing - path.final) < tolerance)
    }

    @Test(arguments: ReferencePath.all)
    func `the direct problem matches the reference`(_ path: ReferencePath) throws {
        let goal = try point(latitude: path.to.0, longitude: path.to.1)
        let found = Geodesic.direct(
            from: try point(latitude: path.from.0, longitude: path.from.1), bearing: path.initial,
            distance: path.distance)
        // A bearing printed with ten digits is good to 20 micrometres on the far side of the Earth.
        #expect(found.end.distance(to: goal) < 1e-4)
    }

    /// The example on the first page of the GeographicLib documentation: JFK to LHR, 5551.759400
    /// km.
    @Test func `JFK to LHR matches the GeographicLib documentation`() throws {
        let distance = try point(latitude: 40.6, longitude: -73.8).distance(
            to: try point(latitude: 51.6, longitude: -0.5))
        #expect(abs(distance - 5_551_759.400) < 0.001)
    }

    @Test func `the path between equatorial antipodes crosses the pole`() throws {
        #expect(
            abs(
                try point(latitude: 0, longitude: 0).distance(to: try point(latitude: 0, longitude: 180))
                    - 20_003_931.458625447) < 1e-7)
        #expect(
            abs(
                try point(latitude: 0, longitude: 0).distance(to: try point(latitude: 0, longitude: 179.5))
                    - 19_980_861.908890963) < 1e-7)
    }

    @Test func `the direct problem reverses the inverse problem everywhere`() throws {
        var worst = 0.0
        for i in 0..<4000 {
            // Low-discrepancy points make the test repeatable.
            func spread(_ step: Double) -> Double { (Double(i) * step).truncatingRemainder(dividingBy: 1) }
            let a = try point(latitude: spread(0.754_877_666) * 180 - 90, longitude: spread(0.569_840_291) * 360 - 180)
            let b = try point(latitude: spread(0.819_172_513) * 180 - 90, longitude: spread(0.671_043_607) * 360 - 180)
            let path = Geodesic.inverse(from: a, to: b)
            let arrived = Geodesic.direct(from: a, bearing: path.initialBearing, distance: path.distance)
            worst = max(worst, arrived.end.distance(to: b))
        }
        #expect(worst < 5e-8)
    }

    @Test func `coinciding points are zero metres apart`() throws {
        for latitude in [-90.0, -33, 0, 51.5, 90] {
            let here = try point(latitude: latitude, longitude: 12)
            #expect(Geodesic.inverse(from: here, to: here).distance == 0)
            #expect(here.initialBearing(to: here) == 0)
        }
    }

    @Test func `non-finite arguments return the start`() throws {
        let here = try point(latitude: 10, longitude: 10)
        #expect(Geodesic.direct(from: here, bearing: .nan, distance: 5).end == here)
        #expect(Geodesic.direct(from: here, bearing: 5, distance: .infinity).end == here)
    }

    /// Compares the series with the integrals they expand, by Simpson's rule (equations 7 and 40 of
    /// Karney 2013).
    @Test func `the series match their integrals`() {
        let k2 = Ellipsoid.secondEccentricitySquared
        let epsilon = k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
        for sigma in [0.3, 1.1, 2.9] {
            let angle = UnitAngle(radians: sigma)
            let length = GeodesicSeries.distance(epsilon)
            let reduced = GeodesicSeries.reducedLength(epsilon)
            let exact = simpson(from: 0, to: sigma) {
                (1 + k2 * UnitAngle(radians: $0).sine * UnitAngle(radians: $0).sine).squareRoot()
            }
            let exactReduced = simpson(from: 0, to: sigma) {
                1 / (1 + k2 * UnitAngle(radians: $0).sine * UnitAngle(radians: $0).sine).squareRoot()
            }
            #expect(abs(length.factor * (sigma + length.sines(angle)) - exact) < 1e-14)
            #expect(abs(reduced.factor * (sigma + reduced.sines(angle)) - exactReduced) < 1e-14)
            let tau = sigma + length.sines(angle)
            #expect(abs(tau + GeodesicSeries.arc(epsilon)(UnitAngle(radians: tau)) - sigma) < 1e-14)
        }
    }

    private func simpson(from: Double, to: Double, of f: (Double) -> Double) -> Double {
        let n = 2000
        let h = (to - from) / Double(n)
        let inner = (1..<n).reduce(0.0) { $0 + f(from + Double($1) * h) * ($1 % 2 == 1 ? 4 : 2) }
        return (f(from) + inner + f(to)) * h / 3
    }
}
