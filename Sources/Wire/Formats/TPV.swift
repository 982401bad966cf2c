import Chronology
import Geodesy
import Positioning

/// An epoch as gpsd's TPV report (gpsd_json(5)), for tools that read those.
public struct TPV: Codable, Sendable, Equatable {
    /// Always "TPV".
    public var `class` = "TPV"
    /// RFC 3339 with milliseconds.
    public var time: String?
    /// 1 no fix, 2 two dimensions, 3 three.
    public var mode: Int
    /// Degrees.
    public var lat: Double?
    /// Degrees.
    public var lon: Double?
    /// Metres above mean sea level.
    public var altMSL: Double?
    /// Metres above the ellipsoid.
    public var altHAE: Double?
    /// Metres per second.
    public var speed: Double?
    /// Degrees from true north.
    public var track: Double?

    /// The report of a fix.
    public init(_ fix: Fix) {
        time = fix.time?.description
        mode =
            switch fix.mode {
            case .none: 1
            case .twoD: 2
            case .threeD: 3
            }
        lat = fix.coordinate.map { Rounded.angle($0.latitude) }
        lon = fix.coordinate.map { Rounded.angle($0.longitude) }
        altMSL = Rounded.fine(fix.altitude)
        altHAE = Rounded.fine(fix.ellipsoidalAltitude)
        speed = Rounded.fine(fix.speed)
        track = Rounded.fine(fix.course)
    }
}
