import Chronology
import TestSupport
import Testing

@testable import Geodesy

/// Random tracks: each point is within the tolerance of the simplified track at its time.
@Suite struct TrackSimplifierTests {
    private typealias Point = TrackPoint<Int>

    /// Returns a track with turns, stops, noise and gaps, numbered from 0.
    private func track(seed: UInt64, from start: Coordinate, points: Int) -> [Point] {
        var generator = SeededGenerator(seed: seed)
        var place = start
        var time = Int64(1_800_000_000_000)
        var bearing = 0.0
        var speed = 15.0
        return (0..<points).map { number in
            if Int.random(in: 0..<20, using: &generator) == 0 {
                bearing = .random(in: 0..<360, using: &generator)
                speed = [0, 1, 15, 40, 250].randomElement(using: &generator) ?? 0
            }
            let step = Int64([200, 1000, 1000, 1000, 5000, 70_000].randomElement(using: &generator) ?? 1000)
            time += step
            place = place.moved(by: speed * Double(step) / 1000, bearing: bearing)
            let seen = place.moved(
                by: .random(in: 0...3, using: &generator), bearing: .random(in: 0..<360, using: &generator))
            return Point(seen, at: UTCTime(milliseconds: time), number)
        }
    }

    private func instant(_ point: Point) -> Instant { .zero + .milliseconds(point.time.milliseconds) }

    /// Simplifies a track as a stream does, with a tick at each point.
    private func simplified(_ track: [Point], tolerance: Double) throws -> [Point] {
        var simplifier = try #require(TrackSimplifier<Int>(tolerance: tolerance))
        var published: [Point] = []
        for point in track {
            published += simplifier.tick(at: instant(point))
            published += simplifier.add(point, at: instant(point))
        }
        return published + simplifier.finish()
    }

    @Test(arguments: [(0.0, 0.0), (48, 11), (-33, 179.999), (69.9, -20), (79.99, 100), (89.99, 10)])
    func `each point is within the tolerance of the track at its time`(latitude: Double, longitude: Double) throws {
        let start = try #require(Coordinate(latitude: latitude, longitude: longitude))
        for seed in UInt64(0)..<20 {
            let track = track(seed: seed, from: start, points: 300)
            for tolerance in [5.0, 25, 100] {
                let kept = try simplified(track, tolerance: tolerance)
                #expect(kept.first?.payload == 0 && kept.last?.payload == track.count - 1)
                #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.time < $1.time })
                var index = 0
                var worst = 0.0
                for point in track {
                    while index + 2 < kept.count, kept[index + 1].time < point.time { index += 1 }
                    let line = TrackSegment(from: kept[index], to: kept[min(index + 1, kept.count - 1)])
                    let error = line.position(at: point.time).distance(to: point.coordinate)
                    worst = max(worst, error)
                }
                #expect(worst <= tolerance + 0.01, "seed \(seed)")
            }
        }
    }

    @Test func `a straight drive needs one point a minute`() throws {
        let start = try #require(Coordinate(latitude: 48, longitude: 11))
        let track = (0..<600).map {
            Point(start.moved(by: Double($0) * 20, bearing: 60), at: UTCTime(milliseconds: Int64($0) * 1000), $0)
        }
        #expect(
            try simplified(track, tolerance: 25).map(\.payload) == [0, 60, 120, 180, 240, 300, 360, 420, 480, 540, 599])
    }

    @Test func `the first point is published at once, and a turn with the next point`() throws {
        let start = try #require(Coordinate(latitude: 48, longitude: 11))
        var simplifier = try #require(TrackSimplifier<Int>(tolerance: 5))
        let corner = start.moved(by: 200, bearing: 0)
        var published: [[Int]] = []
        for second in 0...13 {
            let place =
                second <= 10
                ? start.moved(by: 20 * Double(second), bearing: 0)
                : corner.moved(by: 20 * Double(second - 10), bearing: 90)
            let point = Point(place, at: UTCTime(milliseconds: Int64(second) * 1000), second)
            published.append(simplifier.add(point, at: .zero + .seconds(Double(second))).map(\.payload))
        }
        #expect(published == [[0]] + Array(repeating: [], count: 10) + [[10], [], []])
    }

    @Test func `a held point is published when the window ends without another`() throws {
        let start = try #require(Coordinate(latitude: 48, longitude: 11))
        var simplifier = try #require(TrackSimplifier<Int>(tolerance: 25))
        _ = simplifier.add(Point(start, at: UTCTime(milliseconds: 0), 0), at: .zero)
        #expect(simplifier.deadline == nil)
        _ = simplifier.add(Point(start, at: UTCTime(milliseconds: 1000), 1), at: .zero + .seconds(1))
        #expect(simplifier.deadline == .zero + .seconds(61))
        #expect(simplifier.tick(at: .zero + .seconds(60)).isEmpty)
        #expect(simplifier.tick(at: .zero + .seconds(61)).map(\.payload) == [1])
        #expect(simplifier.deadline == nil)
    }

    @Test func `a clock that is set back begins another track`() throws {
        let start = try #require(Coordinate(latitude: 48, longitude: 11))
        var simplifier = try #require(TrackSimplifier<Int>(tolerance: 25))
        var published: [Int] = []
        for (number, second) in [10, 11, 12, 3, 4].enumerated() {
            published += simplifier.add(
                Point(start, at: UTCTime(milliseconds: Int64(second) * 1000), number), at: .zero
            ).map(\.payload)
        }
        #expect(published == [0, 2, 3])
        #expect(simplifier.finish().map(\.payload) == [4])
    }

    @Test(arguments: [nil, 0, -1, .nan, .infinity]) func `a tolerance must be a positive number`(tolerance: Double?) {
        #expect(TrackSimplifier<Int>(tolerance: tolerance) == nil)
    }
}
