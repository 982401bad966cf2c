import Chronology
import Geodesy
import Testing

@testable import Permission

@Suite struct ReducedLocationTests {
    private static let start = UTCTime(milliseconds: 1_800_000_000_000)
    private let grid: ReducedGrid
    private let home: Coordinate

    init() throws {
        var random = ReducedRandom(state: 1)
        grid = ReducedGrid(secret: try random.secret())
        // A position in the middle of its area.
        let somewhere = try #require(Coordinate(latitude: 48.2, longitude: 16.4))
        let box = try #require(grid.area(of: somewhere)).box
        home = try #require(Coordinate(latitude: (box.south + box.north) / 2, longitude: box.west + box.width / 2))
    }

    @discardableResult
    private func process(
        _ location: inout ReducedLocation, _ position: Coordinate, second: Double, accuracy: Double = 5
    ) -> ReducedLocation.Answer? {
        let span = Instant.Span.seconds(second)
        return location.process(
            position, horizontalAccuracy: accuracy, time: ReducedLocationTests.start.advanced(by: span),
            at: .zero + span)
    }

    @Test func `the first position is answered at once`() throws {
        var location = ReducedLocation(grid: grid)
        #expect(location.current == nil && location.nextAnswer == nil)
        let answer = try #require(process(&location, home, second: 3))
        #expect(location.current == answer)
        #expect(answer.horizontalAccuracy == 5100)
        #expect(answer.time == ReducedLocationTests.start.advanced(by: .seconds(3)))
        #expect(location.nextAnswer == .zero + .seconds(903))
        #expect(answer.coordinate.distance(to: home) > 3800)
    }

    @Test func `a moving device has at most one new answer in 15 minutes`() {
        var location = ReducedLocation(grid: grid)
        var seconds: [Double] = []
        var last: ReducedLocation.Answer?
        for second in 0..<7200 {
            let position = home.moved(by: Double(second) * 30, bearing: 60)
            if process(&location, position, second: Double(second)) != nil { seconds.append(Double(second)) }
            // What a client gets between two answers has the time of the last one.
            if second % 900 != 0 { #expect(location.current == last) }
            last = location.current
        }
        #expect(seconds == (0..<8).map { Double($0) * 900 })
    }

    @Test func `the time of the answer advances at rest, without a new answer`() throws {
        var location = ReducedLocation(grid: grid)
        let first = try #require(process(&location, home, second: 0))
        #expect(process(&location, home, second: 899.999) == nil)
        #expect(location.current == first)
        #expect(process(&location, home, second: 900) == nil)
        #expect(location.current?.time == ReducedLocationTests.start.advanced(by: .seconds(900)))
        #expect(location.current?.coordinate == first.coordinate)
    }

    @Test func `after a pause the next position is answered at once`() {
        var location = ReducedLocation(grid: grid)
        process(&location, home, second: 0)
        #expect(process(&location, home.moved(by: 20_000, bearing: 0), second: 5000) != nil)
        #expect(location.nextAnswer == .zero + .seconds(5900))
    }

    @Test func `noise at a boundary does not change the answer`() throws {
        let box = try #require(grid.area(of: home)).box
        let edge = try #require(Coordinate(latitude: box.north, longitude: home.longitude))
        for (accuracy, kept, left) in [(0.0, 19.0, 22.0), (5, 19, 22), (20, 59, 62), (1000, 99, 102)] {
            var location = ReducedLocation(grid: grid)
            let inside = try #require(process(&location, edge.moved(by: 50, bearing: 180), second: 0))
            process(&location, edge.moved(by: kept, bearing: 0), second: 900, accuracy: accuracy)
            #expect(location.current?.coordinate == inside.coordinate)
            process(&location, edge.moved(by: left, bearing: 0), second: 1800, accuracy: accuracy)
            let outside = try #require(location.current?.coordinate)
            #expect(outside != inside.coordinate)
            process(&location, edge.moved(by: kept, bearing: 180), second: 2700, accuracy: accuracy)
            #expect(location.current?.coordinate == outside)
        }
    }

    @Test func `the radius combines area and receiver`() {
        var location = ReducedLocation(grid: grid)
        #expect(process(&location, home, second: 0, accuracy: 0)?.horizontalAccuracy == 5100)
        // The same point with another radius is a new answer.
        #expect(process(&location, home, second: 900, accuracy: 5100)?.horizontalAccuracy == 7200)
        #expect(process(&location, home, second: 1800, accuracy: 1e300)?.horizontalAccuracy.isFinite == true)
    }

    @Test func `invalid positions are ignored`() throws {
        var location = ReducedLocation(grid: grid)
        for accuracy in [Double.nan, -1, .infinity, -.infinity] {
            #expect(process(&location, home, second: 0, accuracy: accuracy) == nil)
        }
        var nowhere = home
        nowhere.latitude = .nan
        #expect(process(&location, nowhere, second: 0) == nil)
        #expect(location.current == nil)
        process(&location, home, second: 0)
        let answer = try #require(location.current)
        for value in [Double.nan, 91, .infinity] {
            nowhere.latitude = value
            #expect(process(&location, nowhere, second: 1000) == nil)
        }
        #expect(location.current == answer)
        // An invalid position does not delay the next valid one.
        process(&location, home, second: 1001)
        #expect(location.current?.at == .zero + .seconds(1001))
    }

    @Test func `two starts with the same secret give the same answers`() throws {
        var random = ReducedRandom(state: 6)
        var (first, second) = (ReducedLocation(grid: grid), ReducedLocation(grid: grid))
        for step in 0..<200 {
            let position = home.moved(by: .random(in: 0...50_000, using: &random), bearing: Double(step) * 7)
            #expect(
                process(&first, position, second: Double(step) * 900)
                    == process(&second, position, second: Double(step) * 900))
            #expect(first.current == second.current)
        }
        // The daemon is restarted. The answer depends on the position alone.
        var restarted = ReducedLocation(grid: grid)
        process(&restarted, home, second: 900 * 300)
        process(&first, home, second: 900 * 300)
        #expect(restarted.current == first.current)
    }

    @Test func `without a date the last known date determines the drift`() {
        var location = ReducedLocation(grid: grid)
        process(&location, home, second: 0)
        let dated = location.current?.coordinate
        let answer = location.process(home, horizontalAccuracy: 5, time: nil, at: .zero + .seconds(900))
        #expect(answer == nil)
        #expect(location.current?.coordinate == dated)
        #expect(location.current?.time == nil)
    }

    @Test func `no instant traps`() {
        var location = ReducedLocation(grid: grid)
        for nanoseconds in [Int64.min, 0, .max, .min, .max] {
            _ = location.process(
                home, horizontalAccuracy: 5, time: UTCTime(milliseconds: nanoseconds),
                at: Instant(nanoseconds: nanoseconds))
        }
        #expect(location.current != nil)
    }
}
