import Chronology
import Geodesy
import Positioning
import SextantAPI

extension LocationMessage {
    /// Creates the message for a location, or nil when its fix has no position.
    package init?(_ location: Location) {
        let fix = location.fix
        guard let coordinate = fix.coordinate, let accuracy = fix.horizontalAccuracy, let source = fix.accuracySource
        else { return nil }
        self.init(
            timestamp: fix.time?.description, latitude: WireRounding.degrees(coordinate.latitude),
            longitude: WireRounding.degrees(coordinate.longitude),
            horizontalAccuracy: WireRounding.thousandths(accuracy), accuracySource: source,
            altitude: WireRounding.thousandths(fix.altitude),
            ellipsoidalAltitude: WireRounding.thousandths(fix.ellipsoidalAltitude),
            verticalAccuracy: WireRounding.thousandths(fix.verticalAccuracy),
            speed: WireRounding.thousandths(fix.speed), speedAccuracy: WireRounding.thousandths(fix.speedAccuracy),
            course: WireRounding.thousandths(fix.course), courseAccuracy: WireRounding.thousandths(fix.courseAccuracy),
            mode: fix.mode, quality: fix.quality, satellitesUsed: fix.satellitesUsed,
            hdop: WireRounding.thousandths(fix.hdop), datum: fix.datum, simulated: fix.isSimulated ? true : nil,
            accessory: location.isAccessory ? true : nil, receiver: location.receiver)
    }
}
