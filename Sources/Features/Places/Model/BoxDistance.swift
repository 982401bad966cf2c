import Glibc

/// The least distances from one point to boxes of latitudes and longitudes, for the order in which
/// an index is searched.
///
/// A distance is the haversine of its angle, the square of the sine of half of it. It grows with
/// the angle and needs no arc sine (https://en.wikipedia.org/wiki/Haversine_formula).
package struct BoxDistance {
    private static let degree = Double.pi / 180
    private static let halfDegree = Double.pi / 360
    /// The width in degrees up to which a box counts as a point, some 11 m. An index with 32 bits
    /// per value has boxes of up to 2 m for points.
    private static let pointWidth = 0.0001

    private let latitude: Double
    private let longitude: Double
    private let sine: Double
    private let cosine: Double

    /// - Parameters: Both in degrees.
    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
        sine = sin(latitude * BoxDistance.degree)
        cosine = cos(latitude * BoxDistance.degree)
    }

    /// Returns the haversine of an angle in radians, of half a turn at most.
    package static func haversine(ofAngle angle: Double) -> Double {
        let half = sin(min(angle, .pi) / 2)
        return half * half
    }

    /// Returns the angle in radians of a haversine.
    package static func angle(ofHaversine haversine: Double) -> Double { 2 * asin(min(1, haversine.squareRoot())) }

    /// Returns the haversine of the least angle on the sphere to a box; nil if it is more than
    /// `limit`. Borders are in degrees.
    package func haversine(
        south: Double, north: Double, west: Double, east: Double, atMost limit: Double
    ) -> Double? {
        // The latitudes alone exclude most boxes.
        let half = BoxDistance.sine(max(0, south - latitude, latitude - north) * BoxDistance.halfDegree)
        let latitudes = half * half
        guard latitudes <= limit else { return nil }
        if longitude >= west, longitude <= east { return latitudes }
        let span = min(BoxDistance.turn(west - longitude), BoxDistance.turn(east - longitude))
        let isPoint = north - south < BoxDistance.pointWidth && east - west < BoxDistance.pointWidth
        let nearest = isPoint ? haversine(latitude: south, span: span) : least(south, north, span: span)
        return nearest <= limit ? nearest : nil
    }

    /// The least haversine to a part of a meridian.
    private func least(_ south: Double, _ north: Double, span: Double) -> Double {
        let nearest = min(haversine(latitude: south, span: span), haversine(latitude: north, span: span))
        // The great circle meets the meridian at a right angle nearer to the pole than the point.
        guard latitude >= 0 ? latitude < north : latitude > south else { return nearest }
        let spanCosine = cos(span * BoxDistance.degree)
        guard spanCosine > 0 else { return nearest }
        let foot = atan2(sine, cosine * spanCosine) / BoxDistance.degree
        return foot > south && foot < north ? min(nearest, haversine(latitude: foot, span: span)) : nearest
    }

    /// The angle between two longitudes in degrees, 0 to 180.
    private static func turn(_ span: Double) -> Double {
        abs(span <= 180 && span >= -180 ? span : remainder(span, 360))
    }

    private func haversine(latitude other: Double, span: Double) -> Double {
        let north = BoxDistance.sine((other - latitude) * BoxDistance.halfDegree)
        let east = BoxDistance.sine(span * BoxDistance.halfDegree)
        // The cosine of the other latitude, by the sine of half of the difference.
        let square = north * north
        let otherCosine = cosine * (1 - 2 * square) - sine * 2 * north * (1 - square).squareRoot()
        return square + max(0, cosine * otherCosine) * east * east
    }

    /// The sine of an angle in radians. Most angles are small: for them, a series of four terms is
    /// as exact as the type.
    private static func sine(_ angle: Double) -> Double {
        guard abs(angle) < 0.05 else { return sin(angle) }
        let square = angle * angle
        return angle * (1 - square / 6 * (1 - square / 20 * (1 - square / 42)))
    }
}
