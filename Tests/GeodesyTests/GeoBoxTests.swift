import Testing

@testable import Geodesy

@Suite struct GeoBoxTests {
    @Test func aBoxMayCrossTheAntimeridian() throws {
        let fiji = GeoBox(south: -20, north: -15, west: 176, width: 6)
        #expect(fiji.crossesAntimeridian && fiji.east == -178)
        for (latitude, longitude) in [(-17.0, 179.9), (-17, -179), (-17, 180), (-20, 176)] {
            #expect(fiji.contains(try point(latitude, longitude)))
        }
        for (latitude, longitude) in [(-17.0, -177.9), (-17, 0), (-14.9, 180)] {
            #expect(!fiji.contains(try point(latitude, longitude)))
        }
    }

    @Test func aPoleIsOnEveryMeridian() throws {
        #expect(GeoBox(try point(90, 12)).contains(try point(90, -100)))
        let svalbard = GeoBox(try point(78, 15)).expanded(by: 1_500_000)
        #expect(svalbard.spansAllLongitudes && svalbard.north == 90)
        #expect(svalbard.contains(try point(85, -165)))
    }

    @Test func aUnionTakesTheShortWayRound() throws {
        let both = GeoBox(try point(0, 179)).union(GeoBox(try point(1, -179)))
        #expect(both.west == 179 && both.width == 2)
        #expect(both == GeoBox(try point(1, -179)).union(GeoBox(try point(0, 179))))
        let inner = GeoBox(south: -10, north: 10, west: 0, width: 20)
        #expect(inner.union(GeoBox(try point(5, 5))) == inner)
        #expect(GeoBox(try point(5, 5)).union(inner) == inner)
    }

    @Test func boxesThatTouchIntersect() throws {
        let west = GeoBox(south: 0, north: 1, west: 170, width: 15)
        let east = GeoBox(south: 1, north: 2, west: -175, width: 5)
        #expect(west.intersects(east) && east.intersects(west))
        #expect(!west.intersects(GeoBox(south: 0, north: 1, west: -174.9, width: 10)))
        #expect(west.intersects(GeoBox.everywhere) && GeoBox.everywhere.intersects(west))
    }

    /// Whoever is within the margin is in the box, wherever on Earth; and the box is not much larger.
    @Test func theMarginHoldsWhatIsWithinIt() throws {
        for i in 0..<4000 {
            func spread(_ step: Double) -> Double { (Double(i) * step).truncatingRemainder(dividingBy: 1) }
            let center = try point(spread(0.754_877_666) * 180 - 90, spread(0.569_840_291) * 360 - 180)
            let margin = 10 * (spread(0.618_033_988) * 13).exponential
            let box = GeoBox(center).expanded(by: margin)
            let edge = center.moved(by: margin * 0.999_999, bearing: spread(0.445_041_868) * 360)
            #expect(box.contains(edge), "\(center) \(margin)")
            #expect((box.north - box.south) * 110_574 <= 2.0001 * margin)
        }
    }

    @Test func whatIsNoNumberIsEverywhereOrNothing() {
        #expect(GeoBox(south: -5, north: 5, west: 0, width: .infinity).spansAllLongitudes)
        #expect(GeoBox(south: 5, north: -5, west: 0, width: -1).north == 5)
    }
}

extension Double {
    /// e to this power, for exponents that are small.
    fileprivate var exponential: Double { (0..<40).reversed().reduce(1.0) { sum, n in 1 + self / Double(n + 1) * sum } }
}
