import Chronology
import Geodesy
import SextantAPI

extension FleetPoint {
    /// Creates a point from a location of the daemon; nil without a date.
    init?(_ location: Location?) {
        guard let location, let text = location.timestamp, let time = UTCTime(rfc3339: text),
            let coordinate = Coordinate(latitude: location.latitude, longitude: location.longitude)
        else { return nil }
        self.init(
            coordinate, at: time, accuracy: location.horizontalAccuracy, altitude: location.altitude,
            verticalAccuracy: location.verticalAccuracy, speed: location.speed, course: location.course)
    }
}
