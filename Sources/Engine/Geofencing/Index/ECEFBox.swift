import Geodesy
import Glibc

/// A box around a part of the Earth's surface in Earth-centred, Earth-fixed coordinates (x through
/// Greenwich, z through the north pole), in metres.
///
/// In space there are no antimeridian and no poles, and a straight line is never longer than the
/// path on the ground. The distance to a box is therefore a lower bound of the distance to its
/// contents. The values are `Float`, rounded outwards.
struct ECEFBox: Sendable, Equatable {
    /// The margin for rounding: a `Float` of this magnitude has a precision of half a metre, and
    /// each side gets twice that.
    private static let rounding: Float = 1

    /// The corners. The fourth component of each is 0.
    var low: SIMD4<Float>
    var high: SIMD4<Float>

    /// Creates the box of the surface between two parallels, from `west` eastward over `width`
    /// degrees of longitude.
    init(south: Double, north: Double, west: Double, width: Double) {
        // The distance from the axis decreases towards the poles.
        let farthest = south <= 0 && north >= 0 ? 0 : min(abs(south), abs(north))
        let maxRadius = ECEFBox.meridianPoint(at: farthest).axis
        let minRadius = ECEFBox.meridianPoint(at: max(abs(south), abs(north))).axis
        let x = ECEFBox.cosines(from: west, width: width)
        let y = ECEFBox.cosines(from: west - 90, width: width)
        low = SIMD4(
            ECEFBox.float(min(x.min * maxRadius, x.min * minRadius)),
            ECEFBox.float(min(y.min * maxRadius, y.min * minRadius)),
            ECEFBox.float(ECEFBox.meridianPoint(at: south).height), 0)
        high = SIMD4(
            ECEFBox.float(max(x.max * maxRadius, x.max * minRadius)),
            ECEFBox.float(max(y.max * maxRadius, y.max * minRadius)),
            ECEFBox.float(ECEFBox.meridianPoint(at: north).height), 0)
        grow(by: ECEFBox.rounding)
    }

    init(_ box: GeoBox) { self.init(south: box.south, north: box.north, west: box.west, width: box.width) }

    init(_ shape: FenceShape) {
        if case .circle(let center, let radius) = shape {
            self.init(around: center, radius: radius)
        } else {
            self.init(shape.box())
        }
    }

    /// Creates the box of all points within `radius` metres of a point.
    init(around center: Coordinate, radius: Double) {
        let middle = ECEFBox.floatPosition(of: center)
        (low, high) = (middle, middle)
        grow(by: ECEFBox.float(max(radius, 0)) + ECEFBox.rounding)
    }

    /// Creates the box of two points.
    init(_ a: SIMD4<Float>, _ b: SIMD4<Float>) {
        low = pointwiseMin(a, b)
        high = pointwiseMax(a, b)
        grow(by: ECEFBox.rounding)
    }

    /// Expands the box by this distance on every side.
    mutating func grow(by metres: Float) {
        let margin = SIMD4(metres, metres, metres, 0)
        low -= margin
        high += margin
    }

    /// Returns the position of a surface point in space, in metres.
    static func ecefPosition(of coordinate: Coordinate) -> SIMD4<Double> {
        let meridian = meridianPoint(at: coordinate.latitude)
        let longitude = coordinate.longitude * .pi / 180
        return SIMD4(meridian.axis * cos(longitude), meridian.axis * sin(longitude), meridian.height, 0)
    }

    /// Returns the position of a surface point in space as `Float`, the type of the boxes.
    static func floatPosition(of coordinate: Coordinate) -> SIMD4<Float> { SIMD4<Float>(ecefPosition(of: coordinate)) }

    /// Returns the distance in metres from a point to the box; 0 inside.
    @inline(__always)
    func distance(to point: SIMD4<Float>) -> Float { squaredDistance(to: point).squareRoot() }

    @inline(__always)
    func squaredDistance(to point: SIMD4<Float>) -> Float {
        var difference = pointwiseMax(low - point, point - high)
        difference.replace(with: 0, where: difference .< 0)
        return difference.x * difference.x + difference.y * difference.y + difference.z * difference.z
    }

    /// Returns the distances in metres of a surface point at this latitude from the axis and from
    /// the equatorial plane.
    private static func meridianPoint(at latitude: Double) -> (axis: Double, height: Double) {
        let angle = min(max(latitude, -90), 90) * .pi / 180
        let (sine, cosine) = (sin(angle), cos(angle))
        let flatness = (1 - Ellipsoid.flattening) * (1 - Ellipsoid.flattening)
        let radius = Ellipsoid.equatorialRadius / (cosine * cosine + flatness * sine * sine).squareRoot()
        return (radius * max(cosine, 0), radius * flatness * sine)
    }

    /// Returns the smallest and the greatest cosine in an interval of degrees.
    private static func cosines(from west: Double, width: Double) -> (min: Double, max: Double) {
        guard width < 360 else { return (-1, 1) }
        let (first, last) = (cos(west * .pi / 180), cos((west + width) * .pi / 180))
        // The angles eastward to the points where the cosine is 1 and -1.
        let toMaximum = (-west).truncatingRemainder(dividingBy: 360)
        let toMinimum = (180 - west).truncatingRemainder(dividingBy: 360)
        let hasMaximum = (toMaximum < 0 ? toMaximum + 360 : toMaximum) <= width
        let hasMinimum = (toMinimum < 0 ? toMinimum + 360 : toMinimum) <= width
        return (hasMinimum ? -1 : min(first, last), hasMaximum ? 1 : max(first, last))
    }

    private static func float(_ metres: Double) -> Float { metres.isFinite ? Float(min(max(metres, -1e8), 1e8)) : 0 }
}
