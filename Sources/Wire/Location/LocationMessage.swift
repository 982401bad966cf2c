import Chronology
import Delivery
import Geodesy
import Positioning

/// `io.sextant.Location`, type `Location`.
public struct LocationMessage: Codable, Sendable, Equatable {
    public var timestamp: String?
    public var latitude: Double
    public var longitude: Double
    public var horizontalAccuracy: Double
    public var accuracySource: AccuracySource
    public var altitude: Double?
    public var ellipsoidalAltitude: Double?
    public var verticalAccuracy: Double?
    public var speed: Double?
    public var speedAccuracy: Double?
    public var course: Double?
    public var courseAccuracy: Double?
    public var mode: FixMode
    public var quality: FixQuality
    public var satellitesUsed: Int?
    public var hdop: Double?
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
