import Chronology
import Geodesy

@testable import Permission

/// A month of a person who lives at `home`, in metres east and north of it: work on weekdays by one
/// of several routes, trips on weekends and on some evenings.
struct ReducedLife {
    let home: Coordinate
    private let plane: LocalPlane
    private var stops: [(second: Double, place: LocalPlane.Offset)] = []
    private var segment = 0

    static let days = 30
    static let home = LocalPlane.Offset(east: 0, north: 0)
    /// Metres per second, with halts.
    private static let speed = 11.0

    init(home: Coordinate, random: inout ReducedRandom) {
        self.home = home
        plane = LocalPlane(origin: home)
        let work = ReducedLife.place(3000...20_000, random: &random)
        let routes = (0..<3).map { _ in ReducedLife.detour(to: work, random: &random) }
        stops = [(0, ReducedLife.home)]
        for day in 0..<ReducedLife.days {
            let midnight = Double(day) * 86_400
            if day % 7 < 5 {
                travel(from: midnight + 3600 * .random(in: 7...8.5, using: &random), to: work, by: routes, &random)
                travel(from: midnight + 3600 * .random(in: 16...18, using: &random), to: nil, by: routes, &random)
            }
            if day % 7 >= 5 || Bool.random(using: &random) {
                let place = ReducedLife.place(500...40_000, random: &random)
                let start = midnight + 3600 * .random(in: 18.8...19, using: &random)
                let via = [ReducedLife.detour(to: place, random: &random)]
                travel(from: day % 7 < 5 ? start : start - 28_800, to: place, by: via, &random)
                travel(from: start + 3600 * .random(in: 1.2...1.5, using: &random), to: nil, by: via, &random)
            }
        }
    }

    /// Adds a trip to a place, or back home, through one of the points of the routes.
    private mutating func travel(
        from start: Double, to place: LocalPlane.Offset?, by routes: [LocalPlane.Offset], _ random: inout ReducedRandom
    ) {
        guard let last = stops.last else { return }
        var second = max(start, last.second)
        stops.append((second, last.place))
        var here = last.place
        for next in [routes.randomElement(using: &random) ?? ReducedLife.home, place ?? ReducedLife.home] {
            second +=
                LocalPlane.Offset(east: next.east - here.east, north: next.north - here.north).length
                / ReducedLife.speed
            stops.append((second, next))
            here = next
        }
    }

    /// The true position at a time; the times of successive calls must not decrease.
    mutating func position(at second: Double) -> (offset: LocalPlane.Offset, coordinate: Coordinate) {
        while segment + 1 < stops.count, stops[segment + 1].second <= second { segment += 1 }
        var offset = stops[segment].place
        if segment + 1 < stops.count {
            let (from, to) = (stops[segment], stops[segment + 1])
            let part = to.second > from.second ? (second - from.second) / (to.second - from.second) : 0
            offset.east += (to.place.east - from.place.east) * part
            offset.north += (to.place.north - from.place.north) * part
        }
        return (offset, offset.length == 0 ? home : plane.coordinate(at: offset))
    }

    private static func place(
        _ distances: ClosedRange<Double>, random: inout ReducedRandom
    ) -> LocalPlane.Offset {
        LocalPlane.Offset(
            distance: .random(in: distances, using: &random), bearing: .random(in: 0..<360, using: &random))
    }

    /// A point beside the direct path, so that departures and arrivals have different directions.
    private static func detour(to place: LocalPlane.Offset, random: inout ReducedRandom) -> LocalPlane.Offset {
        let side = LocalPlane.Offset(
            distance: place.length * .random(in: 0.1...0.6, using: &random),
            bearing: .random(in: 0..<360, using: &random))
        return LocalPlane.Offset(east: place.east / 2 + side.east, north: place.north / 2 + side.north)
    }
}

/// What programs with reduced accuracy see of a month, in metres east and north of the home.
struct ReducedObservation {
    /// One entry for each quarter of an hour.
    var answers: [(second: Double, point: LocalPlane.Offset)] = []
    /// The mean of the true positions at the same times.
    var meanPosition = LocalPlane.Offset(east: 0, north: 0)

    /// Follows a person with a receiver whose R68 is 5 m.
    init(life: ReducedLife, grid: ReducedGrid, random: inout ReducedRandom) {
        var life = life
        var location = ReducedLocation(grid: grid)
        let plane = LocalPlane(origin: life.home)
        let start = UTCTime(milliseconds: 1_800_000_000_000)
        var second = Double.random(in: 0..<900, using: &random)
        // Degrees: 6 m in each direction.
        let noise = 6 / 111_000.0
        var offsets: [Coordinate: LocalPlane.Offset] = [:]
        while second < Double(ReducedLife.days) * 86_400 {
            let (offset, exact) = life.position(at: second)
            var fix = exact
            fix.latitude += .random(in: -noise...noise, using: &random)
            fix.longitude += .random(in: -noise...noise, using: &random)
            let span = Instant.Span.seconds(second)
            _ = location.process(fix, horizontalAccuracy: 5, time: start.advanced(by: span), at: .zero + span)
            if let answer = location.current?.coordinate {
                let point = offsets[answer] ?? plane.offset(of: answer)
                offsets[answer] = point
                answers.append((second, point))
                meanPosition.east += offset.east
                meanPosition.north += offset.north
            }
            second += 900 + .random(in: 0..<30, using: &random)
        }
        meanPosition.east /= Double(max(answers.count, 1))
        meanPosition.north /= Double(max(answers.count, 1))
    }

    /// The answers between 22 and 6 o'clock.
    var nights: [LocalPlane.Offset] {
        answers.filter { (22..<30).contains(($0.second / 3600 + 18).truncatingRemainder(dividingBy: 24) + 6) }
            .map(\.point)
    }
}
