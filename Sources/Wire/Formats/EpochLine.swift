import Chronology
import Geodesy
import Positioning

/// One line of `sextant replay --emit fixes`: an epoch, with or without a position. Unknown values are absent.
public struct EpochLine: Codable, Sendable, Equatable {
    public var timestamp: String?
    public var latitude: Double?
    public var longitude: Double?
    public var horizontalAccuracy: Double?
    public var accuracySource: AccuracySource?
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
