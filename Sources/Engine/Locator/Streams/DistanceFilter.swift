import Geodesy
import Positioning

/// Admits a fix when the device has moved a given distance since the last admitted fix.
///
/// The position noise of a stationary receiver does not count as movement. At low speed, the
/// distance must also exceed what the errors of both fixes explain. Otherwise a parked receiver
/// would pass a filter of 10 m every few minutes.
struct DistanceFilter: Sendable {
    /// Speed in metres per second above which the device is moving. A stationary receiver does not
    /// report such speeds.
    private static let moving = 0.8

    /// The minimum distance in metres.
    let distance: Double
    private var last: (coordinate: Coordinate, radius: Double)?

    /// Creates a filter; nil if the distance is missing, not finite or not positive.
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

    mutating func recordPublished(_ fix: Fix) {
        guard let coordinate = fix.coordinate else { return }
        last = (coordinate, fix.horizontalAccuracy ?? 0)
    }
}
