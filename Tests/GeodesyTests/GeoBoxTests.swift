import Testing

@testable import Geodesy

@Suite struct GeoBoxTests {
    @Test func `a box may cross the antimeridian`() throws {
        let fiji = GeoBox(south: -20, north: -15, west: 176, width: 6)
        for (latitude, longitude) in [(-17.0, 179.9), (-17, -179), (-17, 180), (-20, 176)] {
            #expect(fiji.contains(try point(latitude: latitude, longitude: longitude)))
        }
        for (latitude, longitude) in [(-17.0, -177.9), (-17, 0), (-14.9, 180)] {
            #expect(!fiji.contains(try point(latitude: latitude, longitude: longitude)))
        }
    }

    @Test func `a pole lies on every meridian`() throws {
        #expect(GeoBox(try point(latitude: 90, longitude: 12)).contains(try point(latitude: 90, longitude: -100)))
        let svalbard = GeoBox(try point(latitude: 78, longitude: 15)).expanded(by: 1_500_000)
        #expect(svalbard.spansAllLongitudes && svalbard.north == 90)
        #expect(svalbard.contains(try point(latitude: 85, longitude: -165)))
    }

    /// A point within the margin is in the box everywhere on Earth, and the box is not much larger.
    @Test func `an expanded box contains every point within the margin`() throws {
        for i in 0..<4000 {
            func spread(_ step: Double) -> Double { (Double(i) * step).truncatingRemainder(dividingBy: 1) }
            let center = try point(
                latitude: spread(0.754_877_666) * 180 - 90, longitude: spread(0.569_840_291) * 360 - 180)
            let margin = 10 * (spread(0.618_033_988) * 13).exponential
            let box = GeoBox(center).expanded(by: margin)
            let edge = center.moved(by: margin * 0.999_999, bearing: spread(0.445_041_868) * 360)
            #expect(box.contains(edge), "\(center) \(margin)")
            #expect((box.north - box.south) * 110_574 <= 2.0001 * margin)
        }
    }

    @Test func `invalid extents give a whole or an empty box`() {
        #expect(GeoBox(south: -5, north: 5, west: 0, width: .infinity).spansAllLongitudes)
        #expect(GeoBox(south: 5, north: -5, west: 0, width: -1).north == 5)
    }
}

extension Double {
    /// Returns e to this power, for small exponents.
    fileprivate var exponential: Double { (0..<40).reversed().reduce(1.0) { sum, n in 1 + self / Double(n + 1) * sum } }
}
