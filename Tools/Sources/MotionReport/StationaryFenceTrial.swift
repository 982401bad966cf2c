import Chronology
import Geodesy
import Geofencing

/// A trial with circles of 30 to 200 m whose edge is 0 to 15 m from a stationary device, on either
/// side. Every outcome after the first determination is false.
package struct StationaryFenceTrial: Sendable {
    /// The radii of the circles, in metres.
    private static let radii = [30.0, 50, 100, 200]
    private static let edges = [-15.0, -10, -5, 0, 5, 10, 15]

    /// The number of circles evaluated.
    package private(set) var circles = 0
    /// The total duration over all circles, in hours.
    package private(set) var hours = 0.0
    /// The number of reported crossings and retractions.
    package private(set) var events = 0
    /// The number of crossings by plain containment.
    package private(set) var plain = 0
    /// The number of circles with a reported state at the end.
    package private(set) var determined = 0
    /// The number of circles with the correct state at the end, among those whose edge is 5 m or
    /// more from the device.
    package private(set) var right = 0
    /// The number of circles whose edge is 5 m or more from the device.
    package private(set) var clear = 0

    /// The number of false events per hour and circle.
    package var perHour: Double { hours > 0 ? Double(events) / hours : 0 }
    /// The number of false crossings by plain containment per hour and circle.
    package var plainPerHour: Double { hours > 0 ? Double(plain) / hours : 0 }

    /// Evaluates circles in several directions with the log of a stationary device.
    package init(_ trial: FenceTrial, directions: Int = 8) {
        guard let home = StationaryFenceTrial.middle(trial) else { return }
        for radius in Self.radii {
            for edge in Self.edges {
                for bearing in stride(from: 0.0, to: 360, by: 360 / Double(max(directions, 1))) {
                    let center = home.moved(by: radius - edge, bearing: bearing)
                    evaluate(trial, shape: .circle(center: center, radius: radius), edge: edge)
                }
            }
        }
    }

    private mutating func evaluate(_ trial: FenceTrial, shape: FenceShape, edge: Double) {
        circles += 1
        hours += trial.length.seconds / 3600
        plain += trial.plainChanges(shape)
        let outcomes = trial.outcomes(of: FenceCondition(shape: shape))
        events += outcomes.count { $0.outcome.kind != .determined }
        if let last = outcomes.last {
            determined += 1
            if edge != 0, (last.outcome.state == .satisfied) == (edge > 0) { right += 1 }
        }
        if edge != 0 { clear += 1 }
    }

    /// Returns the stationary position: the median of all positions, by component.
    private static func middle(_ trial: FenceTrial) -> Coordinate? {
        let latitudes = trial.steps.map(\.coordinate.latitude).sorted()
        let longitudes = trial.steps.map(\.coordinate.longitude).sorted()
        guard !latitudes.isEmpty else { return nil }
        return Coordinate(latitude: latitudes[latitudes.count / 2], longitude: longitudes[longitudes.count / 2])
    }
}
