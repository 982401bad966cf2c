import Chronology
import Fleet
import Geodesy
import Simulator

/// One simulated device: a track, and the reporter of the real program.
final class SimulatedDevice {
    /// R68 of the positions in metres.
    private static let accuracy = 4.0

    let reporter: Reporter
    private let route: Route
    private let offset: Instant.Span
    private var simplifier: TrackSimplifier<FleetPoint>?
    private let eventInterval: Instant.Span
    private var nextEvent: Instant.Span
    private var eventCount = 0

    /// Creates a device that starts at `offset` in its route.
    init(
        _ reporter: Reporter, route: Route, offset: Instant.Span, tolerance: Double, firstEvent: Instant.Span,
        eventInterval: Instant.Span
    ) {
        self.reporter = reporter
        self.route = route
        self.offset = offset
        self.eventInterval = eventInterval
        nextEvent = firstEvent
        simplifier = TrackSimplifier(tolerance: tolerance)
    }

    private func point(at elapsed: Instant.Span, time: UTCTime, looping: Bool) -> FleetPoint {
        let sample = route.sample(at: elapsed + offset, looping: looping)
        return FleetPoint(
            sample.coordinate, at: time, accuracy: SimulatedDevice.accuracy, altitude: sample.altitude,
            speed: sample.speed, course: sample.course)
    }

    /// Moves the device, and reports what the daemon would send with the option `tolerance`.
    ///
    /// - Returns: The number of positions that the daemon would send.
    @discardableResult
    func move(to elapsed: Instant.Span, time: UTCTime, looping: Bool = true) -> Int {
        let point = point(at: elapsed, time: time, looping: looping)
        guard simplifier != nil else {
            reporter.add(point)
            return 1
        }
        let needed = simplifier?.add(TrackPoint(point.coordinate, at: time, point), at: .zero + elapsed) ?? []
        for entry in needed { reporter.add(entry.payload) }
        return needed.count
    }

    /// Reports an event if one is due. Returns its number; nil if there is none.
    func addEvent(at elapsed: Instant.Span, time: UTCTime) -> Int? {
        guard elapsed >= nextEvent else { return nil }
        nextEvent = nextEvent + eventInterval
        eventCount += 1
        let place = point(at: elapsed, time: time, looping: true).coordinate
        let event = FleetEvent(
            eventCount % 2 == 0 ? .leave : .enter, of: "\(eventCount)", in: "simulation", at: time, place: place,
            accuracy: SimulatedDevice.accuracy)
        return reporter.add(event) ? eventCount : nil
    }
}
