import Geodesy
import Positioning

/// Lets a position through when the device has moved that far since the last one.
///
/// The wandering of a receiver at rest is not moving: without a speed to show for it, the two positions must also lie farther apart
/// than their errors explain. A parked receiver would else pass a filter of 10 m every few minutes.
struct DistanceFilter: Sendable {
    /// Metres per second that positions at rest are not stated with.
    private static let moving = 0.8

    /// Metres.
    let distance: Double
    private var last: (coordinate: Coordinate, radius: Double)?

    /// Nil for a distance that asks for nothing.
    init?(_ distance: Double?) {
        guard let distance, distance.isFinite, distance > 0 else { return nil }
        self.distance = distance
    }

    func wouldAdmit(_ fix: Fix) -> Bool {
        guard let last, let coordinate = fix.coordinate else { return true }
        let moved = last.coordinate.nearbyDistance(to: coordinate)
        guard moved >= distance else { return false }
        if let speed = fix.speed, speed > DistanceFilter.moving { return true }
        let radius = fix.horizontalAccuracy ?? 0
        return moved >= 2 * (radius * radius + last.radius * last.radius).squareRoot()
    }

    mutating func told(_ fix: Fix) {
        guard let coordinate = fix.coordinate else { return }
        last = (coordinate, fix.horizontalAccuracy ?? 0)
    }
}
