import Chronology
import Geodesy
import Positioning
import SextantAPI

extension Location {
    /// Creates the message for a location, or nil when its fix has no position.
    package init?(_ location: ReceiverFix) {
        let fix = location.fix
        guard let coordinate = fix.coordinate, let accuracy = fix.horizontalAccuracy, let source = fix.accuracySource
        else { return nil }
        self.init(
            timestamp: fix.time, latitude: coordinate.latitude,
            longitude: coordinate.longitude,
            horizontalAccuracy: accuracy, accuracySource: source,
            altitude: fix.altitude,
            ellipsoidalAltitude: fix.ellipsoidalAltitude,
            verticalAccuracy: fix.verticalAccuracy,
            speed: fix.speed,
            speedAccuracy: fix.speedAccuracy,
            course: fix.course,
            courseAccuracy: fix.courseAccuracy,
            mode: fix.mode, quality: fix.quality, satellitesUsed: fix.satellitesUsed,
            hdop: fix.hdop, datum: fix.datum, simulated: fix.isSimulated ? true : nil,
            accessory: location.isAccessory ? true : nil, receiver: location.receiver)
    }
}
