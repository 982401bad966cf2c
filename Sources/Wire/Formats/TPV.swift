import Chronology
import Geodesy
import Positioning

/// An epoch as gpsd's TPV report (gpsd_json(5)), for tools that read that format.
package struct TPV: Codable, Sendable, Equatable {
    /// Always "TPV".
    package var `class` = "TPV"
    /// The UTC time of the epoch, RFC 3339 with milliseconds.
    package var time: String?
    /// The fix mode: 1 no fix, 2 two-dimensional, 3 three-dimensional.
    package var mode: Int
    /// The latitude in degrees.
    package var lat: Double?
    /// The longitude in degrees.
    package var lon: Double?
    /// The altitude in metres above mean sea level.
    package var altMSL: Double?
    /// The altitude in metres above the ellipsoid.
    package var altHAE: Double?
    /// The speed in metres per second.
    package var speed: Double?
    /// The course in degrees from true north.
    package var track: Double?

    /// Creates the report for a fix.
    package init(_ fix: Fix) {
        time = fix.time?.description
        mode =
            switch fix.mode {
            case .none: 1
            case .twoD: 2
            case .threeD: 3
            }
        lat = fix.coordinate.map { WireRounding.degrees($0.latitude) }
        lon = fix.coordinate.map { WireRounding.degrees($0.longitude) }
        altMSL = WireRounding.thousandths(fix.altitude)
        altHAE = WireRounding.thousandths(fix.ellipsoidalAltitude)
        speed = WireRounding.thousandths(fix.speed)
        track = WireRounding.thousandths(fix.course)
    }
}
