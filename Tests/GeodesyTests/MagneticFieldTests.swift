import Testing

@testable import Geodesy

/// Compares the declination with the values that NOAA publishes with the coefficients.
@Suite struct MagneticFieldTests {
    private func field(_ value: MagneticTestValue) throws -> MagneticField {
        let place = try #require(Coordinate(latitude: value.latitude, longitude: value.longitude))
        return try #require(MagneticField(at: place, height: value.height * 1000, year: value.year))
    }

    /// Where our rule gives no declination, the published point lies in a zone in which the report
    /// advises against using a compass.
    @Test(arguments: MagneticTestValue.published)
    func `declinations match the published test values`(value: MagneticTestValue) throws {
        let field = try field(value)
        guard let declination = field.declination else {
            #expect(field.horizontalIntensity < 2000)
            return
        }
        #expect(abs(declination - value.declination) < 0.0051, "\(declination)")
    }

    @Test func `only two test values lie near a magnetic pole`() throws {
        let steep = try MagneticTestValue.published.filter { try field($0).declination == nil }
        #expect(steep.count == 2)
    }

    /// The components in nanotesla. The file gives six decimals, but its own sums agree only to
    /// three.
    @Test(
        arguments: zip(
            [
                MagneticTestValue(2025, 65, 43, 93, 0), MagneticTestValue(2025, 51, -33, 109, 0),
                MagneticTestValue(2025.5, 8, -66, 17, 0),
                MagneticTestValue(2026, 62, -14, 99, 0),
            ],
            [
                (24299.852822, 210.517066, 50037.923998), (21737.778822, -2090.274098, -52710.00392),
                (15201.438652, -9925.501123, -30881.123197), (33437.82863, -835.919473, -33100.922253),
            ]))
    func `field components match the published test values`(
        value: MagneticTestValue, components: (north: Double, east: Double, down: Double)
    ) throws {
        let field = try field(value)
        #expect(abs(field.north - components.north) < 1e-3)
        #expect(abs(field.east - components.east) < 1e-3)
        #expect(abs(field.down - components.down) < 1e-3)
    }

    /// The same file gives -99.77 here; the report advises against using it where the field is so
    /// steep.
    @Test func `there is no declination near a magnetic pole`() throws {
        let field = try field(MagneticTestValue(2025, 28, 89, -121, -99.77))
        #expect(abs(field.north + 255.388723) < 1e-3)
        #expect(abs(field.east + 1482.460628) < 1e-3)
        #expect(field.declination == nil)
    }

    /// At the pole itself every longitude has a different north, but the field is one vector.
    @Test(arguments: [90.0, -90])
    func `the field is continuous at the poles`(latitude: Double) throws {
        let fields = try [0.0, 90].map { try field(MagneticTestValue(2026, 0, latitude, $0, 0)) }
        let near = try field(MagneticTestValue(2026, 0, latitude > 0 ? 89.999999 : -89.999999, 0, 0))
        #expect(abs(fields[0].north - near.north) < 0.01 && abs(fields[0].east - near.east) < 0.01)
        #expect(abs(fields[0].horizontalIntensity - fields[1].horizontalIntensity) < 1e-6)
    }

    @Test(arguments: [2024.99, 2030.0, 1980, .nan, .infinity])
    func `there is no field outside the years of the model`(year: Double) throws {
        let place = try #require(Coordinate(latitude: 47, longitude: 8))
        #expect(MagneticField(at: place, year: year) == nil)
    }
}
