import Testing

@testable import Geodesy

/// The geoid height between grid points.
@Suite struct GeoidTests {
    /// Latitude, longitude and height of points of the 15-minute grid that the two-degree grid
    /// lacks, sampled evenly over the sphere.
    private static let published: [(latitude: Double, longitude: Double, height: Double)] = [
        (-15.0, 146.75, 62.79), (39.5, 93.25, -56.42), (23.25, -172.25, 4.63), (-10.75, -66.75, 25.08),
        (-26.5, 1.5, 21.91),
        (-77.75, 27.5, 10.22), (-17.75, 147.0, 58.98), (49.75, 107.75, -35.1), (1.5, -169.75, 14.23),
        (-61.5, -22.5, 17.15),
        (-50.5, 19.25, 33.34), (74.25, -71.0, 16.01), (41.5, 56.25, -19.01), (-29.75, 108.5, -39.9),
        (32.75, -162.5, -10.99),
        (17.25, 52.25, -26.32), (28.5, 31.25, 14.78), (-36.5, -12.25, 19.33), (73.5, 148.5, 0.48),
        (-22.75, -98.5, -2.24),
        (-41.0, -26.5, 11.89), (-1.0, -119.25, -22.16), (74.5, -179.0, 1.64), (-5.0, 56.5, -41.98),
        (31.75, 109.25, -27.21),
        (21.75, -55.25, -42.41), (-27.5, -102.5, -3.45), (-18.5, 97.75, -46.85), (20.5, -147.0, -11.84),
        (80.25, -97.25, 5.28),
        (9.75, -20.25, 17.18), (-22.75, 113.5, -18.65), (17.5, 118.75, 26.24), (-19.0, -132.75, -11.41),
        (-37.75, -27.75, 9.88),
        (20.75, -75.25, -27.76), (6.75, -3.5, 27.65), (4.75, 50.5, -50.35), (16.75, -149.25, -6.04),
        (-44.75, -94.5, -3.66),
        (4.75, -84.25, 6.92), (-24.5, -45.25, -3.82), (-38.5, 95.0, -15.71), (55.75, -35.25, 59.66),
        (-6.5, -135.25, -4.69),
        (1.0, 142.75, 70.45), (78.5, 173.25, 1.79), (-5.25, -129.75, -9.94), (-9.75, 111.25, 2.31),
        (-40.5, 71.75, 21.76),
        (-41.0, -60.5, 13.06), (-0.5, -77.5, 19.5), (21.5, -131.5, -37.11), (-6.5, 42.25, -37.43),
        (3.75, -150.5, 10.47),
        (18.5, -75.0, -24.39), (-32.5, -103.0, -7.01), (-43.75, -88.5, 0.31), (-8.5, -70.75, 26.38),
        (-45.5, -38.25, -3.73),
    ]

    private func separation(latitude: Double, longitude: Double) throws -> Double {
        Geoid.separation(at: try #require(Coordinate(latitude: latitude, longitude: longitude)))
    }

    @Test func `interpolated heights match the 15-minute grid`() throws {
        let errors = try Self.published.map {
            try abs(separation(latitude: $0.latitude, longitude: $0.longitude) - $0.height)
        }
        let square = errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)
        #expect(square.squareRoot() < 1.25)
        #expect((errors.max() ?? .infinity) < 6)
        #expect(errors.count { $0 < 0.5 } >= errors.count * 6 / 10)
    }

    /// The six check points that NIMA published with its program `F477`.
    @Test(arguments: [
        (38.6281550, -90.2208450, -31.628), (-14.6212170, -54.9788860, -2.969), (46.8743190, 102.4487290, -43.575),
        (-23.6174460, 133.8747120, 15.871), (38.6254730, -0.0005000, 50.066), (-0.4667440, 0.0023000, 17.329),
    ])
    func `the check points of NIMA match`(latitude: Double, longitude: Double, height: Double) throws {
        #expect(abs(try separation(latitude: latitude, longitude: longitude) - height) < 1.5)
    }

    /// The published grid heights, rounded to the decimetre.
    @Test(arguments: [(90.0, 0.0, 13.6), (-90, 77, -29.5), (0, 0, 17.2)])
    func `grid points match the published heights`(latitude: Double, longitude: Double, height: Double) throws {
        #expect(abs(try separation(latitude: latitude, longitude: longitude) - height) < 0.051)
    }

    @Test func `the grid is continuous across the antimeridian`() throws {
        for latitude in stride(from: -90.0, through: 90, by: 7.5) {
            #expect(
                try separation(latitude: latitude, longitude: 180) == separation(latitude: latitude, longitude: -180))
            #expect(
                abs(
                    try separation(latitude: latitude, longitude: 179.999_999)
                        - separation(latitude: latitude, longitude: 180)) < 1e-4)
        }
    }
}
