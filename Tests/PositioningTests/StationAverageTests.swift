import Chronology
import Geodesy
import Positioning
import TestSupport
import Testing

/// The average of positions at rest, with its radius.
@Suite struct StationAverageTests {
    private func fix(_ coordinate: Coordinate?, radius: Double = 3, altitude: Double? = 100) -> Fix {
        var fix = Fix(mode: .threeD, quality: .autonomous)
        (fix.coordinate, fix.horizontalAccuracy) = (coordinate, radius)
        fix.altitude = altitude
        return fix
    }

    private func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
        try #require(Coordinate(latitude: latitude, longitude: longitude))
    }

    /// Positions on a circle about a place, one per second.
    private func circle(_ center: Coordinate, metres: Double = 2, count: Int = 360, step: Double = 1) -> StationAverage
    {
        var average = StationAverage()
        for index in 0..<count {
            average.add(fix(center.moved(by: metres, bearing: Double(index))), at: Double(index) * step)
        }
        return average
    }

    @Test(arguments: [
        (47.0, 8.0), (0.0, 180.0), (-16.5, -179.99999), (90.0, 0.0), (-89.99999, 77.0), (89.9, 12.0),
    ])
    func `positions around a place have it as their mean everywhere`(latitude: Double, longitude: Double) throws {
        let center = try place(latitude, longitude)
        let result = try #require(circle(center).result)
        #expect(result.coordinate.distance(to: center) < 0.01)
        #expect(abs(result.scatter - 2) < 0.01 && result.count == 360 && result.outliers == 0)
        #expect(result.altitude == 100 && result.duration == .seconds(359))
    }

    @Test func `outliers are left out, and more accurate positions count more`() throws {
        let center = try place(47, 8)
        var average = circle(center)
        for index in 0..<20 {
            average.add(fix(center.moved(by: 400, bearing: 90), altitude: 900), at: 360 + Double(index))
        }
        let result = try #require(average.result)
        #expect(result.outliers == 20 && result.coordinate.distance(to: center) < 0.01 && result.altitude == 100)

        var weighted = StationAverage()
        for index in 0..<200 {
            let isGood = index % 2 == 0
            weighted.add(
                fix(center.moved(by: isGood ? 0 : 4, bearing: 0), radius: isGood ? 1 : 3), at: Double(index))
        }
        #expect(abs(try #require(weighted.result).coordinate.distance(to: center) - 0.4) < 0.01)
    }

    @Test func `few positions, a short time, other solutions and repeated times make no average`() throws {
        let center = try place(47, 8)
        #expect(StationAverage().result == nil)
        #expect(circle(center, count: 59).result == nil && circle(center, count: 120, step: 0.2).result == nil)
        var average = StationAverage()
        for index in 0..<500 {
            average.add(fix(nil), at: Double(index))
            average.add(fix(center, radius: .infinity), at: Double(index))
            for quality in [FixQuality.estimated, .manual, .simulated, .none] {
                var other = fix(center)
                other.quality = quality
                average.add(other, at: Double(index))
            }
        }
        #expect(average.count == 0)
        for _ in 0..<500 { average.add(fix(center), at: 7) }
        average.add(fix(center), at: .nan)
        #expect(average.count == 1 && average.result == nil)
    }

    @Test func `errors that last longer than blocks make longer blocks count`() throws {
        let center = try place(47, 8)
        func result(period: Double, hours: Double) throws -> StationAverage.Result {
            var average = StationAverage()
            var generator = SeededGenerator(seed: 3)
            var error = 0.0
            for index in 0..<Int(hours * 360) {
                if Double(index * 10).truncatingRemainder(dividingBy: period) == 0 {
                    error = Double.random(in: -3...3, using: &generator)
                }
                average.add(fix(center.moved(by: error, bearing: 0)), at: Double(index * 10))
            }
            return try #require(average.result)
        }
        let (fast, slow) = (try result(period: 10, hours: 13), try result(period: 1800, hours: 13))
        #expect(try #require(fast.blockLength) < #require(slow.blockLength))
        #expect(fast.horizontalAccuracy < slow.horizontalAccuracy)
        #expect(try !result(period: 10, hours: 2).isLongEnough)
        #expect(try #require(circle(center, count: 120).result).blockLength == nil)
    }

    @Test func `a receiver that repeats its position does not average`() throws {
        let center = try place(47, 8)
        var average = StationAverage()
        for index in 0..<3600 { average.add(fix(center), at: Double(index)) }
        let result = try #require(average.result)
        #expect(result.horizontalAccuracy == 3 && result.scatter < 0.001)
    }
}
