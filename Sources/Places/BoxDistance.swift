import Geodesy
import Glibc

/// The least distance from a point to a box of latitudes and longitudes, for the order in which an
/// index is searched.
package enum BoxDistance {
    /// Returns the least angle on the sphere between a point and a box, in radians. All arguments
    /// are in degrees.
    package static func angle(
        latitude: Double, longitude: Double, south: Double, north: Double, west: Double, east: Double
    ) -> Double {
        let degree = Double.pi / 180
        if (west...max(west, east)).contains(longitude) {
            return max(0, south - latitude, latitude - north) * degree
        }
        let toWest = abs(remainder(west - longitude, 360))
        let toEast = abs(remainder(east - longitude, 360))
        let span = min(toWest, toEast) * degree
        let low = south * degree
        let high = north * degree
        let own = latitude * degree
        var nearest = min(angle(own, low, span), angle(own, high, span))
        // Where the great circle meets the nearer edge, a meridian, at a right angle.
        if cos(span) > 0 {
            let foot = atan(tan(own) / cos(span))
            if foot > low, foot < high { nearest = min(nearest, angle(own, foot, span)) }
        }
        return nearest
    }

    /// Returns the angle between two points by the haversine formula. All values are in radians.
    private static func angle(_ first: Double, _ second: Double, _ span: Double) -> Double {
        let latitudes = sin((first - second) / 2)
        let longitudes = sin(span / 2)
        let square = latitudes * latitudes + cos(first) * cos(second) * longitudes * longitudes
        return 2 * asin(min(1, square.squareRoot()))
    }
}
