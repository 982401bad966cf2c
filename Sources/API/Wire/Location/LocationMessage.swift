import Chronology
import Geodesy
import Locator
import Positioning

/// The type `Location` of `io.sextant.Location`.
package struct LocationMessage: Codable, Sendable, Equatable {
    /// UTC of the epoch, not of its arrival. Absent until the receiver reports the date.
    package var timestamp: String?
    /// The latitude in degrees north, -90 to 90, WGS-84.
    package var latitude: Double
    /// The longitude in degrees east, -180 to 180, WGS-84.
    package var longitude: Double
    /// R68 in metres: the radius that contains the true position with a probability of 68 %.
    package var horizontalAccuracy: Double
    /// The source of ``horizontalAccuracy``.
    package var accuracySource: AccuracySource
    /// The altitude in metres above mean sea level.
    package var altitude: Double?
    /// The altitude in metres above the WGS-84 ellipsoid.
    package var ellipsoidalAltitude: Double?
    /// The accuracy of the altitude in metres, 68 %.
    package var verticalAccuracy: Double?
    /// The speed over ground in metres per second.
    package var speed: Double?
    /// The accuracy of the speed in metres per second, 68 %.
    package var speedAccuracy: Double?
    /// The course in degrees clockwise from true north, 0 to 360. Absent at rest.
    package var course: Double?
    /// The accuracy of the course in degrees, 68 %.
    package var courseAccuracy: Double?
    /// The dimensions of the fix: "2d" (the altitude is assumed) or "3d".
    package var mode: FixMode
    /// The method by which the receiver obtained the position.
    package var quality: FixQuality
    /// The number of satellites used in the fix, as the receiver counts them.
    package var satellitesUsed: Int?
    /// The horizontal dilution of precision, without a unit.
    package var hdop: Double?
    /// The datum of the position by the receiver's name for it. Absent for WGS-84.
    package var datum: String?
    /// True if the position is simulated. Absent otherwise.
    package var simulated: Bool?
    /// True if the receiver is an accessory of the device: it is on USB. Absent otherwise.
    package var accessory: Bool?
    /// The name of the receiver, as in io.sextant.Receiver.List.
    package var receiver: String

    /// Whether this is the reduced location.
    package var isReduced: Bool { accuracySource == .reduced }

    /// Creates the message for a location, or nil when its fix has no position.
    package init?(_ location: Location) {
        let fix = location.fix
        guard let coordinate = fix.coordinate, let accuracy = fix.horizontalAccuracy, let source = fix.accuracySource
        else { return nil }
        timestamp = fix.time?.description
        latitude = WireRounding.degrees(coordinate.latitude)
        longitude = WireRounding.degrees(coordinate.longitude)
        horizontalAccuracy = WireRounding.thousandths(accuracy)
        accuracySource = source
        altitude = WireRounding.thousandths(fix.altitude)
        ellipsoidalAltitude = WireRounding.thousandths(fix.ellipsoidalAltitude)
        verticalAccuracy = WireRounding.thousandths(fix.verticalAccuracy)
        speed = WireRounding.thousandths(fix.speed)
        speedAccuracy = WireRounding.thousandths(fix.speedAccuracy)
        course = WireRounding.thousandths(fix.course)
        courseAccuracy = WireRounding.thousandths(fix.courseAccuracy)
        mode = fix.mode
        quality = fix.quality
        satellitesUsed = fix.satellitesUsed
        hdop = WireRounding.thousandths(fix.hdop)
        datum = fix.datum
        simulated = fix.isSimulated ? true : nil
        accessory = location.isAccessory ? true : nil
        receiver = location.receiver
    }
}
