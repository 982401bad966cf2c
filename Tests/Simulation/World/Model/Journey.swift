import Chronology
import Geodesy
import Simulator

/// The true movement of the device during a run: drives between random places of a town, and rests.
struct Journey {
    /// The centre of the town.
    static let centre = Coordinate(latitude: 51.4826, longitude: 0.0077)
    /// UTC by the receiver's clock when the run begins: 2027, where the magnetic model is valid.
    static let start = UTCTime(milliseconds: 1_798_761_600_000)

    /// The route with its times.
    let route: Route
    /// When the route begins.
    let origin: Instant

    /// Plans a journey of at least `length`. Its end is a rest.
    init(random: inout RandomStream, origin: Instant, length: Instant.Span) {
        self.origin = origin
        guard let centre = Journey.centre else {
            route = .circuit
            return
        }
        var points = [Route.Point(centre, altitude: 10, time: Journey.start)]
        var (place, clock) = (centre, Journey.start)
        let end = Journey.start.advanced(by: length)
        while clock < end {
            let next = centre.moved(by: random.number(in: 0..<3500), bearing: random.number(in: 0..<360))
            let speed = random.number(in: 4..<28)
            clock = clock.advanced(by: .seconds(max(1, place.distance(to: next) / speed)))
            points.append(Route.Point(next, altitude: 10, time: clock))
            place = next
            guard random.chance(0.3) else { continue }
            clock = clock.advanced(by: random.span(20..<3000))
            points.append(Route.Point(next, altitude: 10, time: clock))
        }
        route = (try? Route(points: points, speed: 10)) ?? .circuit
    }

    /// Returns where the device is.
    func place(at now: Instant) -> Coordinate { route.sample(at: now - origin).coordinate }

    /// Returns where the device is at a time of the receiver's clock.
    func place(at time: UTCTime) -> Coordinate { route.sample(at: time.span(since: Journey.start)).coordinate }

    /// Returns whether the device is inside a circle, or outside, by more than `margin` metres
    /// during a whole period; nil if it comes nearer to the boundary or crosses it.
    func isInside(
        _ centre: Coordinate, radius: Double, margin: Double, from start: Instant, to end: Instant
    ) -> Bool? {
        var answer: Bool?
        var now = start
        while now <= end {
            let depth = radius - centre.nearbyDistance(to: place(at: now))
            guard abs(depth) > margin, answer == nil || answer == (depth > 0) else { return nil }
            answer = depth > 0
            now = now + .seconds(2)
        }
        return answer
    }
}
