import Geodesy
import Glibc

/// A box about a part of the Earth's surface, its sides along the axes of the Earth (x to Greenwich, z to the north pole), in metres.
///
/// In space there is no antimeridian and no pole, and a straight line is never longer than the way over the ground: the distance to a
/// box is a lower bound of that to whatever lies in it. Kept as `Float`, rounded outwards.
struct SpaceBox: Sendable, Equatable {
    /// A `Float` of that size stands for half a metre; twice of it is added on each side.
    private static let rounding: Float = 1

    /// The fourth number of both is nought.
    var low: SIMD4<Float>
    var high: SIMD4<Float>

    /// The box of a part of the surface between two parallels, `width` degrees of longitude to the east of `west`.
    init(south: Double, north: Double, west: Double, width: Double) {
        // The distance from the axis falls towards either pole.
        let farthest = south <= 0 && north >= 0 ? 0 : min(abs(south), abs(north))
        let (most, least) = (SpaceBox.onMeridian(farthest).axis, SpaceBox.onMeridian(max(abs(south), abs(north))).axis)
        let x = SpaceBox.cosines(from: west, width: width)
        let y = SpaceBox.cosines(from: west - 90, width: width)
        low = SIMD4(
            SpaceBox.float(min(x.least * most, x.least * least)), SpaceBox.float(min(y.least * most, y.least * least)),
            SpaceBox.float(SpaceBox.onMeridian(south).height), 0)
        high = SIMD4(
            SpaceBox.float(max(x.most * most, x.most * least)), SpaceBox.float(max(y.most * most, y.most * least)),
            SpaceBox.float(SpaceBox.onMeridian(north).height), 0)
        grow(by: SpaceBox.rounding)
    }

    /// The box of what lies in that one.
    init(_ box: GeoBox) { self.init(south: box.south, north: box.north, west: box.west, width: box.width) }

    /// The box of a shape.
    init(_ shape: FenceShape) {
        if case .circle(let center, let radius) = shape {
            self.init(around: center, radius: radius)
        } else {
            self.init(shape.box())
        }
    }

    /// The box of everything within `radius` metres of a point.
    init(around center: Coordinate, radius: Double) {
        let middle = SpaceBox.point(center)
        (low, high) = (middle, middle)
        grow(by: SpaceBox.float(max(radius, 0)) + SpaceBox.rounding)
    }

    /// The box of two points.
    init(_ a: SIMD4<Float>, _ b: SIMD4<Float>) {
        low = pointwiseMin(a, b)
        high = pointwiseMax(a, b)
        grow(by: SpaceBox.rounding)
    }

    /// Makes it larger by so many metres on every side.
    mutating func grow(by metres: Float) {
        let margin = SIMD4(metres, metres, metres, 0)
        low -= margin
        high += margin
    }

    /// A point of the surface in space, in metres.
    static func place(_ coordinate: Coordinate) -> SIMD4<Double> {
        let meridian = onMeridian(coordinate.latitude)
        let longitude = coordinate.longitude * .pi / 180
        return SIMD4(meridian.axis * cos(longitude), meridian.axis * sin(longitude), meridian.height, 0)
    }

    /// The same, as boxes are kept.
    static func point(_ coordinate: Coordinate) -> SIMD4<Float> { SIMD4<Float>(place(coordinate)) }

    /// Metres from a point to the box, at most; nought inside.
    @inline(__always)
    func distance(to point: SIMD4<Float>) -> Float { squaredDistance(to: point).squareRoot() }

    @inline(__always)
    func squaredDistance(to point: SIMD4<Float>) -> Float {
        var apart = pointwiseMax(low - point, point - high)
        apart.replace(with: 0, where: apart .< 0)
        return apart.x * apart.x + apart.y * apart.y + apart.z * apart.z
    }

    /// Metres from the axis and north of the equator of a point of that latitude.
    private static func onMeridian(_ latitude: Double) -> (axis: Double, height: Double) {
        let angle = min(max(latitude, -90), 90) * .pi / 180
        let (sine, cosine) = (sin(angle), cos(angle))
        let flatness = (1 - Ellipsoid.flattening) * (1 - Ellipsoid.flattening)
        let radius = Ellipsoid.equatorialRadius / (cosine * cosine + flatness * sine * sine).squareRoot()
        return (radius * max(cosine, 0), radius * flatness * sine)
    }

    /// The least and the greatest cosine in an interval of degrees.
    private static func cosines(from west: Double, width: Double) -> (least: Double, most: Double) {
        guard width < 360 else { return (-1, 1) }
        let (first, last) = (cos(west * .pi / 180), cos((west + width) * .pi / 180))
        // How far it is eastwards to where the cosine is 1, and to where it is -1.
        let toMost = (-west).truncatingRemainder(dividingBy: 360)
        let toLeast = (180 - west).truncatingRemainder(dividingBy: 360)
        let hasMost = (toMost < 0 ? toMost + 360 : toMost) <= width
        let hasLeast = (toLeast < 0 ? toLeast + 360 : toLeast) <= width
        return (hasLeast ? -1 : min(first, last), hasMost ? 1 : max(first, last))
    }

    private static func float(_ metres: Double) -> Float { metres.isFinite ? Float(min(max(metres, -1e8), 1e8)) : 0 }
}
