import Chronology
import Geodesy
import Testing

@testable import Permission

@Suite struct ReducedGridTests {
    private static let start = UTCTime(milliseconds: 1_800_000_000_000)

    private func grid(_ seed: UInt64 = 1) throws -> ReducedGrid {
        var random = ReducedRandom(state: seed)
        return ReducedGrid(secret: try random.secret())
    }

    private func point(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
        try #require(Coordinate(latitude: latitude, longitude: longitude))
    }

    private func report(_ grid: ReducedGrid, _ position: Coordinate, day: Double = 0) throws -> Coordinate {
        let area = try #require(grid.area(of: position))
        return grid.reportedPoint(of: area, at: ReducedGridTests.start.advanced(by: .seconds(day * 86_400)))
    }

    /// Positions everywhere, many of them near the equator, the antimeridian, the poles and the
    /// edges of the polar caps.
    private func positions(_ count: Int, _ random: inout ReducedRandom) -> [Coordinate] {
        let centers = [-90.0, -89.8, -60, -0.01, 0, 35, 70, 89, 89.79, 90]
        return (0..<count).compactMap { _ in
            let latitude = (centers.randomElement(using: &random) ?? 0) + 0.2 * random.normal()
            let longitude =
                Bool.random(using: &random) ? 180 + 0.1 * random.normal() : .random(in: -180...180, using: &random)
            return Coordinate(latitude: min(max(latitude, -90), 90), longitude: longitude.remainder(dividingBy: 360))
        }
    }

    @Test func `no reported point is within 1 km of a position of its area`() throws {
        var random = ReducedRandom(state: 2)
        for seed in 0..<20 as Range<UInt64> {
            let grid = try grid(seed)
            for position in positions(300, &random) {
                let day = Double.random(in: 0..<1000, using: &random)
                let distance = try report(grid, position, day: day).distance(to: position)
                #expect(distance > 1100)
                #expect(distance < (abs(position.latitude) < ReducedGrid.capLatitude ? 7300 : 46_500))
            }
        }
    }

    /// This is why no mean of answers is near the mean of the positions, however long they are
    /// collected.
    @Test func `every answer is displaced in the same direction`() throws {
        var random = ReducedRandom(state: 12)
        for seed in 0..<20 as Range<UInt64> {
            let grid = try grid(seed)
            let direction = LocalPlane.Offset(distance: 1, bearing: grid.bearing)
            for position in positions(200, &random) where abs(position.latitude) < 85 {
                let point = try report(grid, position, day: .random(in: 0..<5000, using: &random))
                let offset = LocalPlane(origin: position).offset(of: point)
                #expect(offset.east * direction.east + offset.north * direction.north > 1250)
            }
        }
    }

    @Test func `every position of an area has the same reported point`() throws {
        var random = ReducedRandom(state: 3)
        let grid = try grid()
        for position in positions(300, &random) {
            let area = try #require(grid.area(of: position))
            #expect(area.contains(position, margin: 0.001))
            for _ in 0..<10 {
                let latitude =
                    area.box.south
                    + (area.box.north - area.box.south) * .random(in: 0.001..<0.999, using: &random)
                let longitude = area.box.west + area.box.width * .random(in: 0.001..<0.999, using: &random)
                guard abs(latitude) < ReducedGrid.capLatitude else { continue }
                let other = try point(latitude, longitude.remainder(dividingBy: 360))
                if abs(position.latitude) < ReducedGrid.capLatitude { #expect(grid.area(of: other) == area) }
            }
        }
    }

    @Test func `cells are about 5 km wide and high`() throws {
        var random = ReducedRandom(state: 4)
        let grid = try grid()
        for position in positions(500, &random) where abs(position.latitude) < 89 {
            let box = try #require(grid.area(of: position)).box
            let nearest = min(max(0, box.south), box.north)
            let west = try point(nearest, box.west)
            let width = west.distance(to: try point(nearest, (box.west + box.width).remainder(dividingBy: 360)))
            #expect((4400...5001).contains(width), "\(position)")
            let height = try point(box.south, 0).distance(to: try point(box.north, 0))
            #expect((4970...5030).contains(height))
        }
    }

    @Test func `the grid has no gap at the antimeridian and the poles`() throws {
        for seed in 0..<10 as Range<UInt64> {
            let grid = try grid(seed)
            for latitude in stride(from: -90.0, through: 90, by: 0.7) {
                #expect(grid.area(of: try point(latitude, 180)) == grid.area(of: try point(latitude, -180)))
                // At most one boundary within 200 m.
                guard abs(latitude) < 89.8 else { continue }
                let areas = try [179.999, -180, -179.999].map { grid.area(of: try point(latitude, $0)) }
                #expect(areas[0] == areas[1] || areas[1] == areas[2])
            }
            #expect(grid.area(of: try point(90, 0)) == grid.area(of: try point(89.81, 123)))
            #expect(grid.area(of: try point(-90, 0)) == grid.area(of: try point(-89.81, 123)))
            #expect(grid.area(of: try point(-90, 0)) != grid.area(of: try point(90, 0)))
        }
    }

    @Test func `the same secret makes the same grid, another one another grid`() throws {
        var random = ReducedRandom(state: 5)
        let position = try point(48.2, 16.4)
        var points: Set<Coordinate> = []
        var bearings: [Double: Int] = [:]
        for _ in 0..<200 {
            let secret = try random.secret()
            #expect(try report(ReducedGrid(secret: secret), position) == report(ReducedGrid(secret: secret), position))
            points.insert(try report(ReducedGrid(secret: secret), position))
            bearings[ReducedGrid(secret: secret).bearing, default: 0] += 1
        }
        #expect(points.count > 190)
        #expect(bearings.keys.sorted() == [0, 90, 180, 270])
        #expect(bearings.values.allSatisfy { $0 > 25 })
    }

    @Test func `the reported point drifts slowly on a small circle, and the area does not`() throws {
        let grid = try grid()
        let position = try point(48.2, 16.4)
        let first = try report(grid, position)
        var points: Set<Coordinate> = [first]
        var last = first
        for day in 1...400 {
            let next = try report(grid, position, day: Double(day))
            // One step of rounding in each coordinate: 111 m and 74 m.
            #expect(last.distance(to: next) < 135)
            #expect(first.distance(to: next) < 340)
            points.insert(next)
            last = next
        }
        #expect((4...20).contains(points.count))
        // Within a UTC day nothing changes.
        #expect(try report(grid, position, day: 10.0 - 0.6) == report(grid, position, day: 10.0 - 0.7))
    }

    @Test func `coordinates out of range have no area, and no time traps`() throws {
        let grid = try grid()
        for value in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 90.000_001, -180.000_001, 181] {
            var position = try point(0, 0)
            position.latitude = value
            #expect(grid.area(of: position) == nil)
            guard abs(value) > 180 || value.isNaN else { continue }
            position = try point(0, 0)
            position.longitude = value
            #expect(grid.area(of: position) == nil)
        }
        let area = try #require(grid.area(of: try point(0, 0)))
        for milliseconds in [Int64.min, -1, 0, 1, .max] {
            let point = grid.reportedPoint(of: area, at: UTCTime(milliseconds: milliseconds))
            #expect(point.distance(to: area.anchor) < 4200)
        }
        #expect(grid.reportedPoint(of: area, at: nil) == grid.reportedPoint(of: area, at: UTCTime(milliseconds: 0)))
    }
}
