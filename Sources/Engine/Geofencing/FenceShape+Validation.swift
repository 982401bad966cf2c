import Geodesy

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
