import Chronology
import Delivery
import Geodesy
import Positioning

/// `io.sextant.Location`, type `Location`.
public struct LocationMessage: Codable, Sendable, Equatable {
    /// UTC of the epoch, not of arrival. Absent while the receiver has not told the date.
    public var timestamp: String?
    /// Degrees north, -90 to 90, WGS-84.
    public var latitude: Double
    /// Degrees east, -180 to 180, WGS-84.
    public var longitude: Double
    /// Metres: the radius that holds the true position with probability 68 %.
    public var horizontalAccuracy: Double
    /// What horizontalAccuracy was made from.
    public var accuracySource: AccuracySource
    /// Metres above mean sea level.
    public var altitude: Double?
    /// Metres above the WGS-84 ellipsoid.
    public var ellipsoidalAltitude: Double?
    /// Metres, 68 %.
    public var verticalAccuracy: Double?
    /// Metres per second over ground.
    public var speed: Double?
    /// Metres per second, 68 %.
    public var speedAccuracy: Double?
    /// Degrees clockwise from true north, 0 to 360. Absent at rest.
    public var course: Double?
    /// Degrees, 68 %.
    public var courseAccuracy: Double?
    /// Dimensions of the fix: "2d" (the altitude is assumed) or "3d".
    public var mode: FixMode
    /// How the position was made.
    public var quality: FixQuality
    /// Satellites used in the fix, as the receiver counts them.
    public var satellitesUsed: Int?
    /// Horizontal dilution of precision, no unit.
    public var hdop: Double?
    /// Name of the receiver, as io.sextant.Receiver.List tells it.
    public var receiver: String

    /// The message of a location; nil where its fix has no position.
    public init?(_ location: Location) {
        let fix = location.fix
        guard let coordinate = fix.coordinate, let accuracy = fix.horizontalAccuracy, let source = fix.accuracySource else { return nil }
        timestamp = fix.time?.description
        latitude = Rounded.angle(coordinate.latitude)
        longitude = Rounded.angle(coordinate.longitude)
        horizontalAccuracy = Rounded.fine(accuracy)
        accuracySource = source
        altitude = Rounded.fine(fix.altitude)
        ellipsoidalAltitude = Rounded.fine(fix.ellipsoidalAltitude)
        verticalAccuracy = Rounded.fine(fix.verticalAccuracy)
        speed = Rounded.fine(fix.speed)
        speedAccuracy = Rounded.fine(fix.speedAccuracy)
        course = Rounded.fine(fix.course)
        courseAccuracy = Rounded.fine(fix.courseAccuracy)
        mode = fix.mode
        quality = fix.quality
        satellitesUsed = fix.satellitesUsed
        hdop = Rounded.fine(fix.hdop)
        receiver = location.receiver
    }
}
