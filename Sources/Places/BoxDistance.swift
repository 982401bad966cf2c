import Geodesy
import Glibc

/// The least distances from one point to boxes of latitudes and longitudes, for the order in which
/// an index is searched.
///
/// A distance is the haversine of its angle, the square of the sine of half of it. It grows with
/// the angle and needs no arc sine (https://en.wikipedia.org/wiki/Haversine_formula).
package struct BoxDistance {
    private static let degree = Double.pi / 180
    /// The width in degrees up to which a box counts as a point, some 11 m. An index with 32 bits
    /// per value has boxes of up to 2 m for points.
    private static let pointWidth = 0.0001

    private let latitude: Double
    private let longitude: Double
    private let cosine: Double
    private let tangent: Double

    /// - Parameters: Both in degrees.
    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
        cosine = cos(latitude * BoxDistance.degree)
        tangent = tan(latitude * BoxDistance.degree)
    }

    /// Returns the haversine of an angle in radians, of half a turn at most.
    package static func haversine(ofAngle angle: Double) -> Double {
        let half = sin(min(angle, .pi) / 2)
        return half * half
    }

    /// Returns the angle in radians of a haversine.
    package static func angle(ofHaversine haversine: Double) -> Double { 2 * asin(min(1, haversine.squareRoot())) }

    /// Returns the haversine of the least angle on the sphere to a box. All arguments are in
    /// degrees.
    package func haversine(south: Double, north: Double, west: Double, east: Double) -> Double {
        if north - south < BoxDistance.pointWidth, east - west < BoxDistance.pointWidth {
            return haversine(latitude: south, span: longitude - west)
        }
        if longitude >= west, longitude <= east {
            return BoxDistance.haversine(ofAngle: max(0, south - latitude, latitude - north) * BoxDistance.degree)
        }
        let span = min(BoxDistance.turn(west - longitude), BoxDistance.turn(east - longitude))
        let nearest = min(haversine(latitude: south, span: span), haversine(latitude: north, span: span))
        // Where the great circle meets the nearer edge, a meridian, at a right angle.
        let spanCosine = cos(span * BoxDistance.degree)
        guard spanCosine > 0 else { return nearest }
        let foot = atan(tangent / spanCosine) / BoxDistance.degree
        return foot > south && foot < north ? min(nearest, haversine(latitude: foot, span: span)) : nearest
    }

    /// The angle between two longitudes in degrees, 0 to 180.
    private static func turn(_ span: Double) -> Double {
        abs(span <= 180 && span >= -180 ? span : remainder(span, 360))
    }

    private func haversine(latitude other: Double, span: Double) -> Double {
        let latitudes = sin((other - latitude) * (BoxDistance.degree / 2))
        let longitudes = sin(span * (BoxDistance.degree / 2))
        return latitudes * latitudes + cosine * cos(other * BoxDistance.degree) * longitudes * longitudes
    }
}
