import Chronology
import Geodesy
import Positioning

/// One line of `sextant replay --emit fixes`: an epoch, with or without a position. Unknown values are absent.
public struct EpochLine: Codable, Sendable, Equatable {
    /// UTC of the epoch, RFC 3339 with milliseconds.
    public var timestamp: String?
    /// Degrees north, WGS-84.
    public var latitude: Double?
    /// Degrees east, WGS-84.
    public var longitude: Double?
    /// Metres, 68 %.
    public var horizontalAccuracy: Double?
    /// What ``horizontalAccuracy`` was made from.
    public var accuracySource: AccuracySource?
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
    /// Degrees clockwise from true north.
    public var course: Double?
    /// Degrees, 68 %.
    public var courseAccuracy: Double?
    /// Dimensions of the fix.
    public var mode: FixMode
    /// How the position was made.
    public var quality: FixQuality
    /// Satellites used, as the receiver counts them.
    public var satellitesUsed: Int?
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Name of the receiver.
    public var receiver: String

    /// The line of a receiver's fix.
    public init(_ fix: Fix, receiver: String) {
        timestamp = fix.time?.description
        latitude = fix.coordinate.map { Rounded.angle($0.latitude) }
        longitude = fix.coordinate.map { Rounded.angle($0.longitude) }
        horizontalAccuracy = Rounded.fine(fix.horizontalAccuracy)
        accuracySource = fix.accuracySource
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
        self.receiver = receiver
    }
}
