import Geodesy

/// The shape of a condition: an area on the WGS-84 ellipsoid.
public enum FenceShape: Sendable, Equatable {
    /// The points within `radius` metres of `center` along the ground.
    case circle(center: Coordinate, radius: Double)
    /// The points inside the outer ring but in none of the holes.
    case polygon(Polygon)
    /// The points within half of `width` metres of the line through the points of `path`.
    case corridor(path: [Coordinate], width: Double)
}

/// An area bounded by rings of geodesics. A ring need not repeat its first point and may run in
/// either direction, cross the antimeridian or enclose a pole. It bounds the smaller of the two
/// areas into which it divides the Earth.
public struct Polygon: Sendable, Equatable {
    /// The outer ring, at least three points.
    public var ring: [Coordinate]
    /// The rings of the areas that are cut out.
    public var holes: [[Coordinate]]

    /// Creates a polygon.
    public init(ring: [Coordinate], holes: [[Coordinate]] = []) {
        self.ring = ring
        self.holes = holes
    }
}

extension FenceShape {
    /// Metres. Up to here the distance from a circle's centre is computed in the plane, with an
    /// error below 3 mm.
    private static let maxPlaneDistance = 3_000.0
    /// Degrees. Nearer to a pole the plane is not used.
    private static let maxPlaneLatitude = 80.0
    /// Degrees. Points with a greater difference of latitude are too far apart for the plane.
    private static let maxPlaneLatitudeDifference = 1.0

    /// Returns the distance in metres from a point to the boundary along the ground, positive
    /// inside.
    ///
    /// The error is below 3 mm for a circle. For rings and corridors it is 1 mm within 1 km of the
    /// boundary, for edges of any length, and the sign is always correct (see ``LocalDistance``).
    /// The method does not allocate. For a shape that ``validated()`` rejects, the result is
    /// meaningless but safe.
    public func signedDistance(from point: Coordinate) -> Double {
        switch self {
        case .circle(let center, let radius): return radius - FenceShape.distance(from: point, to: center)
        case .polygon(let polygon): return polygon.signedDistance(from: point)
        case .corridor(let path, let width):
            var measurement = LocalDistance(from: point)
            measurement.add(path: path)
            return width / 2 - measurement.distance
        }
    }

    /// Returns whether a point is inside or on the boundary.
    public func contains(_ point: Coordinate) -> Bool { signedDistance(from: point) >= 0 }

    private static func distance(from point: Coordinate, to center: Coordinate) -> Double {
        if abs(point.latitude) < maxPlaneLatitude,
            abs(point.latitude - center.latitude) < maxPlaneLatitudeDifference
        {
            let planeDistance = point.nearbyDistance(to: center)
            if planeDistance < maxPlaneDistance { return planeDistance }
        }
        return point.distance(to: center)
    }
}

extension Polygon {
    func signedDistance(from point: Coordinate) -> Double {
        var measurement = LocalDistance(from: point)
        var isInside = measurement.isInside(ring: ring)
        for hole in holes {
            // Evaluate holes even from outside: if a hole touches the ring, its edge may be the
            // nearest.
            if measurement.isInside(ring: hole) { isInside = false }
        }
        return isInside ? measurement.distance : -measurement.distance
    }
}

extension FenceShape {
    /// Returns a box that contains everything within `margin` metres of the shape. It includes
    /// edges that bulge towards a pole. If the shape contains a pole, or the margin reaches one,
    /// the box spans all longitudes.
    public func box(margin: Double = 0) -> GeoBox {
        switch self {
        case .circle(let center, let radius): GeoBox(center).expanded(by: radius + margin)
        case .polygon(let polygon): polygon.box.expanded(by: margin)
        case .corridor(let path, let width): LineExtent(path, isClosed: false).box.expanded(by: width / 2 + margin)
        }
    }
}

extension Polygon {
    fileprivate var box: GeoBox {
        let extent = LineExtent(ring, isClosed: true)
        guard extent.enclosesPole, var pole = ring.first else { return extent.box }
        pole.latitude = 90
        let isNorth = signedDistance(from: pole) > 0
        return GeoBox(south: isNorth ? extent.south : -90, north: isNorth ? 90 : extent.north, west: -180, width: 360)
    }
}

/// The extent of a line of geodesics, accumulated from point to point so that the antimeridian
/// needs no special case.
struct LineExtent {
    private(set) var south: Double
    private(set) var north: Double
    private let start: Double
    /// The minimum, maximum and current longitude in degrees east of the first point, not wrapped.
    private var minEast = 0.0
    private var maxEast = 0.0
    private var east = 0.0

    init(_ line: [Coordinate], isClosed: Bool) {
        start = line.first?.longitude ?? 0
        (south, north) = (line.first?.latitude ?? 0, line.first?.latitude ?? 0)
        for (from, to) in zip(line, line.dropFirst()) { include(GeodesicEdge(from: from, to: to)) }
        if isClosed, let last = line.last, let first = line.first { include(GeodesicEdge(from: last, to: first)) }
    }

    /// Whether the line is a ring that ends 360 degrees away from its start.
    var enclosesPole: Bool { abs(east) > 180 }

    var box: GeoBox { GeoBox(south: south, north: north, west: start + minEast, width: maxEast - minEast) }

    private mutating func include(_ edge: GeodesicEdge) {
        let latitudes = edge.latitudes
        (south, north) = (min(south, latitudes.south), max(north, latitudes.north))
        east += (edge.end.longitude - edge.start.longitude).remainder(dividingBy: 360)
        minEast = min(minEast, east)
        maxEast = max(maxEast, east)
    }
}

extension FenceShape {
    /// The largest number of points of one shape, including all rings. The distance from 10,000
    /// points takes 1 ms, or 7 ms if most of them are farther away than one degree.
    public static let maxPoints = 10_000
    /// The largest radius, the largest width, and the largest distance of a ring's points from its
    /// first point, in metres.
    public static let maxExtent = 10_000_000.0

    /// Returns the shape without consecutive duplicate points and without the repeated first point
    /// at the end of a ring.
    ///
    /// A ring that intersects itself is valid; its inside is the area enclosed an odd number of
    /// times.
    ///
    /// - Throws: The reason why the shape is invalid.
    public func validated() throws(FenceShapeError) -> FenceShape {
        switch self {
        case .circle(let center, let radius):
            guard center.isOnEarth else { throw .position(line: 0, point: 0) }
            guard radius > 0, radius <= FenceShape.maxExtent else { throw .radius(radius) }
            return self
        case .polygon(let polygon):
            return .polygon(try polygon.validated())
        case .corridor(let path, let width):
            guard width > 0, width <= FenceShape.maxExtent else { throw .width(width) }
            guard path.count <= FenceShape.maxPoints else {
                throw .tooManyPoints(path.count, limit: FenceShape.maxPoints)
            }
            let line = try Polygon.checked(path, line: 0, isRing: false, needed: 2)
            for (from, to) in zip(line, line.dropFirst()) where !(from.distance(to: to) <= FenceShape.maxExtent) {
                throw .tooWide(line: 0)
            }
            return .corridor(path: line, width: width)
        }
    }
}

extension Polygon {
    /// The number of points of a hole that are checked against the outer ring; a larger hole is
    /// sampled.
    private static let samples = 64

    fileprivate func validated() throws(FenceShapeError) -> Polygon {
        let points = holes.reduce(ring.count) { sum, hole in sum + hole.count }
        guard points <= FenceShape.maxPoints, holes.count <= FenceShape.maxPoints else {
            throw .tooManyPoints(max(points, holes.count), limit: FenceShape.maxPoints)
        }
        let outer = try Polygon.checkedRing(ring, line: 0)
        let outline = Polygon(ring: outer)
        var inner: [[Coordinate]] = []
        for (index, hole) in holes.enumerated() {
            let checked = try Polygon.checkedRing(hole, line: index + 1)
            for index in stride(from: 0, to: checked.count, by: checked.count / Polygon.samples + 1) {
                // Hand-drawn holes may touch the ring, so allow one metre.
                guard outline.signedDistance(from: checked[index]) > -1 else { throw .holeOutside(line: index + 1) }
            }
            inner.append(checked)
        }
        return Polygon(ring: outer, holes: inner)
    }

    private static func checkedRing(_ ring: [Coordinate], line: Int) throws(FenceShapeError) -> [Coordinate] {
        let ring = try checked(ring, line: line, isRing: true, needed: 3)
        for point in ring where !(ring[0].distance(to: point) <= FenceShape.maxExtent) { throw .tooWide(line: line) }
        guard RingMeasure(ring).area > 1e-3 else { throw .noArea(line: line) }
        return ring
    }

    fileprivate static func checked(
        _ points: [Coordinate], line: Int, isRing: Bool, needed: Int
    ) throws(FenceShapeError) -> [Coordinate] {
        var kept: [Coordinate] = []
        for (index, point) in points.enumerated() {
            guard point.isOnEarth else { throw .position(line: line, point: index) }
            if kept.last != point { kept.append(point) }
        }
        if isRing, kept.count > 1, kept.first == kept.last { kept.removeLast() }
        guard kept.count >= needed else { throw .tooFewPoints(line: line, kept.count, needed: needed) }
        return kept
    }
}

extension Coordinate {
    /// Whether the fields, which can be set individually, form a valid coordinate.
    fileprivate var isOnEarth: Bool { Coordinate(latitude: latitude, longitude: longitude) != nil }
}

/// The reason why a shape is not a valid fence.
public enum FenceShapeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A circle's radius is not a number, not above 0 m, or above 10,000 km.
    case radius(Double)
    /// A corridor's width is not a number, not above 0 m, or above 10,000 km.
    case width(Double)
    /// A latitude or longitude is not a number or is out of range. `line` is the ring or path (0:
    /// the outer ring), `point` the index in it.
    case position(line: Int, point: Int)
    /// A ring or path has too few different points: a ring needs three, a path two.
    case tooFewPoints(line: Int, Int, needed: Int)
    /// The shape has more points than allowed.
    case tooManyPoints(Int, limit: Int)
    /// The ring reaches farther than 10,000 km from its first point, so its inside is ambiguous.
    case tooWide(line: Int)
    /// Two consecutive points are antipodal, or the ring encloses no area.
    case noArea(line: Int)
    /// A hole lies at least partly outside the outer ring.
    case holeOutside(line: Int)

    /// The problem, as a sentence without a full stop.
    public var description: String {
        switch self {
        case .radius(let metres): "the radius is \(metres) m; it must be above 0 and at most 10,000 km"
        case .width(let metres): "the width is \(metres) m; it must be above 0 and at most 10,000 km"
        case .position(let line, let point):
            "point \(point + 1) of \(FenceShapeError.name(line)) is not a position on Earth"
        case .tooFewPoints(let line, let count, let needed):
            "\(FenceShapeError.name(line)) has \(count) different point\(count == 1 ? "" : "s"); "
                + "it needs at least \(needed)"
        case .tooManyPoints(let count, let limit): "there are \(count) points; a fence may have at most \(limit)"
        case .tooWide(let line): "\(FenceShapeError.name(line)) reaches farther than 10,000 km from its first point"
        case .noArea(let line): "\(FenceShapeError.name(line)) encloses no area"
        case .holeOutside(let line): "\(FenceShapeError.name(line)) lies at least partly outside the outer ring"
        }
    }

    private static func name(_ line: Int) -> String { line == 0 ? "the line" : "hole \(line)" }
}

extension FenceShape {
    /// About half of the greatest depth inside the shape, in metres.
    ///
    /// For a circle this is half the radius, for a corridor a quarter of the width. For a polygon
    /// it is the area divided by the perimeter. That never exceeds the radius of the largest
    /// inscribed circle, and equals half of it for a square or a circle (R. Osserman,
    /// "Bonnesen-style isoperimetric inequalities", American Mathematical Monthly 86 (1979) 1-29: P
    /// r >= A + pi r * r).
    ///
    /// Visits all points, so it is computed once, when a condition is added.
    public var halfDepth: Double {
        switch self {
        case .circle(_, let radius): return radius / 2
        case .corridor(_, let width): return width / 4
        case .polygon(let polygon):
            let outer = RingMeasure(polygon.ring)
            var (area, perimeter) = (outer.area, outer.perimeter)
            for hole in polygon.holes {
                let measure = RingMeasure(hole)
                area -= measure.area
                perimeter += measure.perimeter
            }
            return perimeter > 0 ? max(area, 0) / perimeter : 0
        }
    }

    /// Returns whether the shape is too small for positions with this R68 in metres to confirm an
    /// entry.
    ///
    /// If a circle's radius is below 1.42 times R68, even its centre is inside with a probability
    /// below 0.9: 1 - exp(-r * r / 2 sigma * sigma).
    public func isTooSmall(forAccuracy radius: Double) -> Bool {
        !(2 * halfDepth >= 1.42 * radius)
    }
}

/// The area and perimeter of a ring in the azimuthal equidistant projection around its first point,
/// exact for small rings.
struct RingMeasure {
    /// The area in square metres; parts enclosed twice may cancel.
    private(set) var area = 0.0
    /// The perimeter in metres.
    private(set) var perimeter = 0.0

    init(_ ring: [Coordinate]) {
        guard let origin = ring.first else { return }
        var last = LocalPlane.Offset(east: 0, north: 0)
        for point in ring.dropFirst() {
            let path = Geodesic.inverse(from: origin, to: point)
            let next = LocalPlane.Offset(distance: path.distance, bearing: path.initialBearing)
            addEdge(from: last, to: next)
            last = next
        }
        addEdge(from: last, to: LocalPlane.Offset(east: 0, north: 0))
        area = abs(area)
    }

    private mutating func addEdge(from: LocalPlane.Offset, to: LocalPlane.Offset) {
        area += (from.east * to.north - to.east * from.north) / 2
        perimeter += LocalPlane.Offset(east: to.east - from.east, north: to.north - from.north).length
    }
}
