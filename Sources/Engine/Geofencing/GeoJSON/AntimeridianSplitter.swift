import Geodesy

/// Splits lines and polygons at the antimeridian (RFC 7946, section 3.1.9). ``AntimeridianJoiner``
/// reverses this.
enum AntimeridianSplitter {
    /// Returns the parts of a line, split where it crosses the antimeridian.
    static func parts(of path: [Coordinate]) -> [[Coordinate]] {
        var parts: [[Coordinate]] = []
        for piece in zip(path, path.dropFirst()).flatMap({ pieces(from: $0, to: $1) }) {
            if let end = parts.last?.last, end == piece.from {
                parts[parts.count - 1].append(piece.to)
            } else {
                parts.append([piece.from, piece.to])
            }
        }
        return parts.isEmpty ? [path] : parts
    }

    /// Returns the parts of a polygon. Outer rings run counterclockwise and holes clockwise. A
    /// polygon whose rings intersect stays in one part.
    static func parts(of polygon: Polygon) -> [Polygon] {
        let rings =
            [Ring.oriented(polygon.ring, counterclockwise: true)]
            + polygon.holes.map { Ring.oriented($0, counterclockwise: false) }
        let cut = rings.map { ring in ring.indices.flatMap { pieces(from: ring[$0], to: ring[($0 + 1) % ring.count]) } }
        let crossings = cut.flatMap { AntimeridianSplitter.crossings($0) }
        let undivided = { (rings: [[Coordinate]]) in [Polygon(ring: rings[0], holes: Array(rings.dropFirst()))] }
        if crossings.isEmpty { return undivided(cut.map { $0.map(\.from) }) }
        guard let antimeridianEdges = AntimeridianSplitter.antimeridianEdges(between: crossings) else {
            return undivided(rings)
        }
        let bounds = RingEdge.rings(of: cut.flatMap(\.self) + antimeridianEdges)
        var parts = bounds.filter(Ring.isCounterclockwise).map { Polygon(ring: $0) }
        guard !parts.isEmpty else { return undivided(rings) }
        for hole in bounds where !Ring.isCounterclockwise(hole) {
            let owner = parts.firstIndex { Ring.contains(hole[0], in: $0.ring) }
            parts[owner ?? 0].holes.append(hole)
        }
        return parts
    }

    /// A point where a ring crosses the antimeridian.
    private struct Crossing {
        var latitude: Double
        var isEastward: Bool
    }

    private static func crossings(_ pieces: [RingEdge]) -> [Crossing] {
        pieces.indices.compactMap { index in
            let (end, start) = (pieces[index].to, pieces[(index + 1) % pieces.count].from)
            return end == start ? nil : Crossing(latitude: end.latitude, isEastward: end.longitude > 0)
        }
    }

    /// Returns the edges along both sides of the antimeridian that bound the area there; nil if the
    /// crossings do not pair up.
    ///
    /// The area lies to the left of every ring. It therefore extends north from an eastward
    /// crossing to the next crossing, which is westward, or to the pole.
    private static func antimeridianEdges(between crossings: [Crossing]) -> [RingEdge]? {
        var edges: [RingEdge] = []
        var south: Double?
        for (index, crossing) in crossings.sorted(by: { $0.latitude < $1.latitude }).enumerated() {
            if crossing.isEastward {
                guard south == nil else { return nil }
                south = crossing.latitude
            } else {
                guard south != nil || index == 0 else { return nil }
                edges += bothSides(from: south ?? -90, to: crossing.latitude)
                south = nil
            }
        }
        if let south { edges += bothSides(from: south, to: 90) }
        return edges
    }

    /// Returns the edges along both sides of a part of the antimeridian, joined at a pole.
    private static func bothSides(from south: Double, to north: Double) -> [RingEdge] {
        let east = [south, north].compactMap { Coordinate(latitude: $0, longitude: 180) }
        let west = [south, north].compactMap { Coordinate(latitude: $0, longitude: -180) }
        var edges = [RingEdge(from: east[0], to: east[1]), RingEdge(from: west[1], to: west[0])]
        if north == 90 { edges.append(RingEdge(from: east[1], to: west[1])) }
        if south == -90 { edges.append(RingEdge(from: west[0], to: east[0])) }
        return edges
    }

    /// Returns an edge, in two parts if it crosses the antimeridian. A point on the antimeridian
    /// takes the side on which its edge lies.
    private static func pieces(from a: Coordinate, to b: Coordinate) -> [RingEdge] {
        switch (abs(a.longitude) == 180, abs(b.longitude) == 180) {
        case (true, true):
            // The area is on the left, so it lies west of a northward edge.
            let isEast = b.latitude >= a.latitude
            return [RingEdge(from: a.onAntimeridian(east: isEast), to: b.onAntimeridian(east: isEast))]
        case (true, false): return [RingEdge(from: a.onAntimeridian(east: b.longitude >= 0), to: b)]
        case (false, true): return [RingEdge(from: a, to: b.onAntimeridian(east: a.longitude >= 0))]
        case (false, false):
            guard abs(b.longitude - a.longitude) > 180 else { return [RingEdge(from: a, to: b)] }
            let isEastward = a.longitude > 0
            let point = crossing(from: a, to: b)
            return [
                RingEdge(from: a, to: point.onAntimeridian(east: isEastward)),
                RingEdge(from: point.onAntimeridian(east: !isEastward), to: b),
            ]
        }
    }

    /// Returns the point where a geodesic crosses the antimeridian, by bisection to one nanometre.
    private static func crossing(from a: Coordinate, to b: Coordinate) -> Coordinate {
        let path = Geodesic.inverse(from: a, to: b)
        var (near, far) = (0.0, path.distance)
        var point = a
        for _ in 0..<54 {
            let middle = (near + far) / 2
            point = Geodesic.direct(from: a, bearing: path.initialBearing, distance: middle).end
            if (point.longitude > 0) == (a.longitude > 0) { near = middle } else { far = middle }
        }
        return point
    }
}

extension Coordinate {
    fileprivate func onAntimeridian(east: Bool) -> Coordinate {
        Coordinate(latitude: latitude, longitude: east ? 180 : -180) ?? self
    }
}

/// Joins the parts of an area that was split along the antimeridian (RFC 7946, section 3.1.9).
///
/// If all outer rings run counterclockwise, two parts that touch share an edge in opposite
/// directions. Such edges cancel, and the rest form the rings of the whole area. A cap around a
/// pole has one ring that runs along both sides up to the pole; it is joined with itself.
enum AntimeridianJoiner {
    /// Returns the joined polygons, or the parts unchanged if none touch at the antimeridian.
    static func joined(_ parts: [Polygon]) -> [Polygon] {
        var edges: [RingEdge] = []
        for part in parts {
            edges += AntimeridianJoiner.edges(of: Ring.oriented(part.ring, counterclockwise: true))
            for hole in part.holes {
                edges += AntimeridianJoiner.edges(of: Ring.oriented(hole, counterclockwise: false))
            }
        }
        let latitudes = Set(edges.filter(\.isAlongAntimeridian).flatMap { [$0.from.latitude, $0.to.latitude] }).sorted()
        guard !latitudes.isEmpty else { return parts }
        var antimeridianEdges: Set<RingEdge> = []
        var hasJoined = false
        for edge in edges.filter(\.isAlongAntimeridian).flatMap({ $0.split(at: latitudes) }) {
            if antimeridianEdges.remove(edge.reversed) != nil {
                hasJoined = true
            } else {
                antimeridianEdges.insert(edge)
            }
        }
        guard hasJoined else { return parts }
        let remaining = antimeridianEdges.sorted {
            ($0.from.latitude, $0.to.latitude) < ($1.from.latitude, $1.to.latitude)
        }
        let rings = RingEdge.rings(of: edges.filter { !$0.isAlongAntimeridian } + remaining)
        let outer = rings.filter(Ring.isCounterclockwise)
        guard outer.count == 1 else { return outer.map { Polygon(ring: $0) } }
        return [Polygon(ring: outer[0], holes: rings.filter { !Ring.isCounterclockwise($0) })]
    }

    private static func edges(of ring: [Coordinate]) -> [RingEdge] {
        ring.indices.map { RingEdge(from: ring[$0].onAntimeridian, to: ring[($0 + 1) % ring.count].onAntimeridian) }
            .filter { $0.from != $0.to }
    }
}

extension RingEdge {
    /// Whether the edge runs along the antimeridian.
    fileprivate var isAlongAntimeridian: Bool { from.longitude == -180 && to.longitude == -180 }

    /// Returns the edge split at these latitudes, which must be ascending.
    fileprivate func split(at latitudes: [Double]) -> [RingEdge] {
        let isNorthward = from.latitude < to.latitude
        let (south, north) = isNorthward ? (from, to) : (to, from)
        var points = [south]
        for latitude in latitudes where latitude > south.latitude && latitude < north.latitude {
            if let point = Coordinate(latitude: latitude, longitude: -180) { points.append(point) }
        }
        points.append(north)
        let pieces = zip(points, points.dropFirst()).map { RingEdge(from: $0, to: $1) }
        return isNorthward ? pieces : pieces.reversed().map(\.reversed)
    }
}
