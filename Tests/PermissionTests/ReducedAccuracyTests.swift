import Chronology
import Geodesy
import Testing

@testable import Permission

/// Whether 68 % of positions lie within the reported radius.
@Suite struct ReducedAccuracyTests {
    private static let start = UTCTime(milliseconds: 1_800_000_000_000)

    /// Positions on a regular raster in an area, of equal weight.
    private func share(within radius: Double, of point: Coordinate, in area: ReducedArea) -> Double {
        let steps = 40
        var (inside, total) = (0.0, 0.0)
        for row in 0..<steps {
            for column in 0..<steps {
                let latitude =
                    area.box.south + (area.box.north - area.box.south) * (Double(row) + 0.5) / Double(steps)
                let longitude = area.box.west + area.box.width * (Double(column) + 0.5) / Double(steps)
                let position = Coordinate(latitude: latitude, longitude: longitude.remainder(dividingBy: 360))
                guard let position else { continue }
                // The weight of a raster point is its distance from the axis of the Earth.
                let weight = LocalPlane.Offset(distance: 1, bearing: latitude).north
                total += weight
                if position.nearbyDistance(to: point) <= radius { inside += weight }
            }
        }
        return total > 0 ? inside / total : 0
    }

    @Test(arguments: [-85.0, -40, 0.01, 30, 50, 70, 89])
    func `68 % of the positions of a cell lie within its radius`(latitude: Double) throws {
        var random = ReducedRandom(state: 7)
        var shares: [Double] = []
        for _ in 0..<40 {
            let grid = ReducedGrid(secret: try random.secret())
            let position = try #require(
                Coordinate(latitude: latitude, longitude: .random(in: -180...180, using: &random)))
            let area = try #require(grid.area(of: position))
            let days = Instant.Span.seconds(86_400 * .random(in: 0..<500, using: &random))
            let point = grid.reportedPoint(of: area, at: ReducedAccuracyTests.start.advanced(by: days))
            shares.append(share(within: area.horizontalAccuracy, of: point, in: area))
        }
        let mean = shares.reduce(0, +) / Double(shares.count)
        #expect((0.67...0.69).contains(mean))
        #expect(shares.allSatisfy { (0.64...0.72).contains($0) })
    }

    @Test(arguments: [true, false])
    func `68 % of the positions of a polar cap lie within its radius`(isNorth: Bool) throws {
        var random = ReducedRandom(state: 8)
        let grid = ReducedGrid(secret: try random.secret())
        let pole = try #require(Coordinate(latitude: isNorth ? 90 : -90, longitude: 0))
        let area = try #require(grid.area(of: pole))
        let point = grid.reportedPoint(of: area, at: ReducedAccuracyTests.start)
        var inside = 0
        let count = 20_000
        for _ in 0..<count {
            let distance = 22_340 * Double.random(in: 0..<1, using: &random).squareRoot()
            let position = pole.moved(by: distance, bearing: .random(in: 0..<360, using: &random))
            if position.distance(to: point) <= area.horizontalAccuracy { inside += 1 }
        }
        #expect((0.66...0.70).contains(Double(inside) / Double(count)))
    }

    @Test(arguments: [5.0, 300, 1000, 3000, 10_000])
    func `the radius contains 68 % for receivers of any accuracy`(radius: Double) throws {
        var random = ReducedRandom(state: 9)
        var inside = 0
        let count = 10_000
        // R68 of a normal distribution is 1.5096 standard deviations.
        let deviation = radius / 1.5096
        for _ in 0..<count {
            let truth = try #require(
                Coordinate(
                    latitude: .random(in: 40...50, using: &random), longitude: .random(in: -10...10, using: &random)))
            let error = LocalPlane.Offset(east: deviation * random.normal(), north: deviation * random.normal())
            var location = ReducedLocation(grid: ReducedGrid(secret: try random.secret()))
            let fix = LocalPlane(origin: truth).coordinate(at: error)
            _ = location.process(fix, horizontalAccuracy: radius, time: nil, at: .zero)
            let answer = try #require(location.current)
            if answer.coordinate.nearbyDistance(to: truth) <= answer.horizontalAccuracy { inside += 1 }
        }
        #expect((0.66...0.70).contains(Double(inside) / Double(count)))
    }
}
