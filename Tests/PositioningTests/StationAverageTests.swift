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
        #expect(result.altitude == 100 && result.duration == .seconds(359) && result.doubt == .short)
    }

    @Test func `outliers are left out, and more accurate positions count more`() throws {
        let center = try place(47, 8)
        var average = circle(center)
        for index in 0..<15 {
            average.add(fix(center.moved(by: 400, bearing: 90), altitude: 900), at: 360 + Double(index))
        }
        let result = try #require(average.result)
        #expect(result.outliers == 15 && result.coordinate.distance(to: center) < 0.01 && result.altitude == 100)

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
                let metres = error + Double.random(in: -0.01...0.01, using: &generator)
                average.add(fix(center.moved(by: metres, bearing: 0)), at: Double(index * 10))
            }
            return try #require(average.result)
        }
        let (fast, slow) = (try result(period: 10, hours: 13), try result(period: 1800, hours: 13))
        #expect(try #require(fast.blockLength) < #require(slow.blockLength))
        #expect(fast.horizontalAccuracy < slow.horizontalAccuracy)
        #expect(try result(period: 10, hours: 2).doubt == .short && fast.doubt != .short)
        #expect(try #require(circle(center, count: 120).result).blockLength == nil)
    }

    @Test func `a receiver that repeats its position does not average`() throws {
        let center = try place(47, 8)
        var average = StationAverage()
        for index in 0..<3600 { average.add(fix(center), at: Double(index)) }
        let result = try #require(average.result)
        #expect(result.horizontalAccuracy == 3 && result.scatter < 0.001 && result.doubt == .held)

        // Held for nine of ten minutes, as by static navigation, at any rate.
        for rate in [1, 10] {
            var average = StationAverage()
            for index in 0..<2 * 3600 * rate {
                let second = index / rate
                let isHeld = second % 600 < 540
                let metres = isHeld ? Double(second / 600 % 3) : Double(index % 7)
                average.add(fix(center.moved(by: metres, bearing: 90)), at: Double(index) / Double(rate))
            }
            let result = try #require(average.result)
            #expect(result.horizontalAccuracy >= 3 && result.doubt == .held, "\(rate) Hz")
        }
    }

    @Test func `only the time that fixes cover counts`() throws {
        let center = try place(47, 8)
        var average = StationAverage()
        // Ten minutes at the start and at the end of a day.
        for start in [0, 86_400] {
            for index in 0..<600 {
                average.add(fix(center.moved(by: 2, bearing: Double(index * 7))), at: Double(start + index))
            }
        }
        let result = try #require(average.result)
        #expect(result.duration == .seconds(2 * 599) && result.doubt == .short)
        let whole = try #require(circle(center, count: 1198).result)
        #expect(abs(result.horizontalAccuracy - whole.horizontalAccuracy) < 0.3)
    }

    @Test(arguments: [(0.6, 25.0), (0.5, 25.0), (0.9, 25.0), (0.97, 400.0)])
    func `a device that moves during the measurement is no scatter`(share: Double, metres: Double) throws {
        let center = try place(47, 8)
        var average = StationAverage()
        for index in 0..<4000 {
            let origin = Double(index) < share * 4000 ? center : center.moved(by: metres, bearing: 90)
            average.add(fix(origin.moved(by: 1, bearing: Double(index))), at: Double(index))
        }
        let result = try #require(average.result)
        #expect(result.doubt == .moved)
        #expect(abs(try #require(result.movedAt) - share * 4000) < 5)
    }

    @Test func `a fast receiver needs the memory of one position per second`() throws {
        #expect((350...400).contains(circle(try place(47, 8), count: 3600, step: 0.1).count))
    }

    @Test func `the altitude is that of the geoid of the fixed place`() throws {
        let center = try place(47, 8)
        var average = StationAverage()
        for index in 0..<120 {
            var fix = fix(center.moved(by: 1, bearing: Double(index)), altitude: 480)
            if index > 3 { fix.ellipsoidalAltitude = 550 }
            average.add(fix, at: Double(index))
        }
        let altitude = try #require(average.result?.altitude)
        #expect(abs(altitude - (550 - Geoid.separation(at: center))) < 0.01)
        let station = Station(coordinate: center, horizontalAccuracy: 1, altitude: altitude)
        #expect(abs(try #require(station.fix(at: nil).ellipsoidalAltitude) - 550) < 0.01)
    }
}
