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
            timestamp: fix.time?.description, latitude: MessageRounding.degrees(coordinate.latitude),
            longitude: MessageRounding.degrees(coordinate.longitude),
            horizontalAccuracy: MessageRounding.thousandths(accuracy), accuracySource: source,
            altitude: MessageRounding.thousandths(fix.altitude),
            ellipsoidalAltitude: MessageRounding.thousandths(fix.ellipsoidalAltitude),
            verticalAccuracy: MessageRounding.thousandths(fix.verticalAccuracy),
            speed: MessageRounding.thousandths(fix.speed),
            speedAccuracy: MessageRounding.thousandths(fix.speedAccuracy),
            course: MessageRounding.thousandths(fix.course),
            courseAccuracy: MessageRounding.thousandths(fix.courseAccuracy),
            mode: fix.mode, quality: fix.quality, satellitesUsed: fix.satellitesUsed,
            hdop: MessageRounding.thousandths(fix.hdop), datum: fix.datum, simulated: fix.isSimulated ? true : nil,
            accessory: location.isAccessory ? true : nil, receiver: location.receiver)
    }
}
