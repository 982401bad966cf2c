import Geodesy

extension FenceShape {
    /// Points that one shape may have, all rings together: a border of 10,000 points costs a millisecond to look at.
    public static let mostPoints = 10_000
    /// Metres: the greatest radius, the greatest width, and how far a ring may reach from its first point.
    public static let greatest = 10_000_000.0

    /// The shape as it is kept: points that repeat the one before are left out, and a ring's end that repeats its beginning.
    ///
    /// A ring that crosses itself is not refused; it holds what it encloses an odd number of times.
    ///
    /// - Throws: What is wrong with it.
    public func validated() throws(FenceFault) -> FenceShape {
        switch self {
        case .circle(let center, let radius):
            guard center.isOnEarth else { throw .position(line: 0, point: 0) }
            guard radius > 0, radius <= FenceShape.greatest else { throw .radius(radius) }
            return self
        case .polygon(let polygon):
            return .polygon(try polygon.validated())
        case .corridor(let path, let width):
            guard width > 0, width <= FenceShape.greatest else { throw .width(width) }
            guard path.count <= FenceShape.mostPoints else { throw .tooManyPoints(path.count, most: FenceShape.mostPoints) }
            let line = try Polygon.checked(path, 0, isRing: false, needed: 2)
            for (from, to) in zip(line, line.dropFirst()) where !(from.distance(to: to) <= FenceShape.greatest) { throw .tooWide(line: 0) }
            return .corridor(path: line, width: width)
        }
    }
}

extension Polygon {
    /// Points of a hole that are held against the outer ring; a hole with more is looked at here and there.
    private static let samples = 64

    fileprivate func validated() throws(FenceFault) -> Polygon {
        let points = holes.reduce(ring.count) { sum, hole in sum + hole.count }
        guard points <= FenceShape.mostPoints, holes.count <= FenceShape.mostPoints else {
            throw .tooManyPoints(max(points, holes.count), most: FenceShape.mostPoints)
        }
        let outer = try Polygon.checkedRing(ring, 0)
        let plain = Polygon(ring: outer)
        var inner: [[Coordinate]] = []
        for (index, hole) in holes.enumerated() {
            let checked = try Polygon.checkedRing(hole, index + 1)
            for at in stride(from: 0, to: checked.count, by: checked.count / Polygon.samples + 1) {
                // Holes that touch the ring are drawn by people; a metre is nothing to them.
                guard plain.signedDistance(from: checked[at]) > -1 else { throw .holeOutside(line: index + 1) }
            }
            inner.append(checked)
        }
        return Polygon(ring: outer, holes: inner)
    }

    private static func checkedRing(_ ring: [Coordinate], _ line: Int) throws(FenceFault) -> [Coordinate] {
        let ring = try checked(ring, line, isRing: true, needed: 3)
        for point in ring where !(ring[0].distance(to: point) <= FenceShape.greatest) { throw .tooWide(line: line) }
        guard RingMeasure(ring).area > 1e-3 else { throw .noArea(line: line) }
        return ring
    }

    fileprivate static func checked(_ points: [Coordinate], _ line: Int, isRing: Bool, needed: Int) throws(FenceFault) -> [Coordinate] {
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
    /// A value whose fields were set one by one may be anything.
    fileprivate var isOnEarth: Bool { Coordinate(latitude: latitude, longitude: longitude) != nil }
}
