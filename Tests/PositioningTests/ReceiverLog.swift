import Chronology
import Geodesy
import NMEA
import TestSupport

@testable import Positioning

/// A movement as a receiver reports it: one GGA and one RMC for each point.
struct ReceiverLog {
    /// One moment: the position in metres east and north of the start, and the reported speed (m/s)
    /// and course (degrees).
    struct Point {
        var east = 0.0
        var north = 0.0
        var speed: Double? = 0
        var course: Double? = 0
    }

    /// Seconds between two points.
    var interval = 1.0
    /// Metres of independent noise along each axis.
    var noise = 0.3
    var kind = FAAMode.autonomous
    var points: [Point]

    /// Creates a movement with a constant velocity.
    init(seconds: Int, interval: Double = 1, speed: Double = 0, course: Double = 0) {
        let step = LocalPlane.Offset(distance: speed * interval, bearing: course)
        self.interval = interval
        points = (0..<Int(Double(seconds) / interval)).map {
            Point(east: step.east * Double($0), north: step.north * Double($0), speed: speed, course: course)
        }
    }

    /// Appends points with another constant velocity.
    mutating func go(seconds: Double, speed: Double, course: Double) {
        var point = points.last ?? Point()
        (point.speed, point.course) = (speed, course)
        for second in 1...max(1, Int((seconds / interval).rounded())) {
            let offset = LocalPlane.Offset(distance: speed * interval * Double(second), bearing: course)
            var next = point
            (next.east, next.north) = (point.east + offset.east, point.north + offset.north)
            points.append(next)
        }
    }

    /// Returns the same movement with points changed.
    func changing(_ range: some RangeExpression<Int>, _ change: (inout Point) -> Void) -> ReceiverLog {
        var copy = self
        for index in range.relative(to: copy.points) { change(&copy.points[index]) }
        return copy
    }

    func fixes() -> [Fix] {
        var pipeline = FixPipeline()
        return fixes(&pipeline)
    }

    func fixes(_ pipeline: inout FixPipeline) -> [Fix] {
        guard let start = Coordinate(latitude: 52.0907, longitude: 5.1214) else { return [] }
        let plane = LocalPlane(origin: start)
        var random = SeededGenerator(seed: 7)
        var layout = SentenceLayout(version: .v2_3, talker: "GN")
        (layout.timeDecimals, layout.minuteDecimals) = (3, 8)
        var fixes: [Fix] = []
        for (index, point) in points.enumerated() {
            let (east, north) = (jitter(&random), jitter(&random))
            let place = plane.coordinate(at: .init(east: point.east + east, north: point.north + north))
            var solution = NavigationSolution()
            solution.time = 36_000_000 + Int((Double(index) * interval * 1000).rounded())
            solution.date = CivilDate(year: 2026, month: 9, day: 15)
            (solution.latitude, solution.longitude) = (place.latitude, place.longitude)
            solution.altitude = 45
            solution.fix = kind
            (solution.satellitesUsed, solution.hdop) = (12, 1)
            solution.speed = point.speed
            solution.course = point.course.map { $0.truncatingRemainder(dividingBy: 360) }
            var encoder = SentenceEncoder(layout: layout)
            encoder.gga(solution)
            encoder.rmc(solution)
            let bodies = String(decoding: encoder.takeBytes(), as: UTF8.self).split(whereSeparator: \.isNewline)
                .map { String($0.dropFirst().prefix { $0 != "*" }) }
            fixes += pipeline.burst(bodies, pause: .seconds(interval))
        }
        return fixes
    }

    private func jitter(_ random: inout SeededGenerator) -> Double {
        Double.random(in: -1.7...1.7, using: &random) * noise
    }
}
