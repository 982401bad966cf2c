import Geodesy
import Geofencing

/// Cuts what crosses the antimeridian into parts that do not (RFC 7946, section 3.1.9). ``AntimeridianWeld`` undoes it.
enum AntimeridianCut {
    /// A line, in as many parts as it takes.
    static func parts(of path: [Coordinate]) -> [[Coordinate]] {
        var parts: [[Coordinate]] = []
        for piece in zip(path, path.dropFirst()).flatMap({ pieces($0, $1) }) {
            if let end = parts.last?.last, end == piece.from {
                parts[parts.count - 1].append(piece.to)
            } else {
                parts.append([piece.from, piece.to])
            }
        }
        return parts.isEmpty ? [path] : parts
    }

    /// An area, its outer rings counterclockwise, its holes clockwise. One whose rings cross each other is left in one part.
    static func parts(of polygon: Polygon) -> [Polygon] {
        let rings = [Ring.turned(polygon.ring, counterclockwise: true)] + polygon.holes.map { Ring.turned($0, counterclockwise: false) }
        let cut = rings.map { ring in ring.indices.flatMap { pieces(ring[$0], ring[($0 + 1) % ring.count]) } }
        let crossings = cut.flatMap { AntimeridianCut.crossings($0) }
        let whole = { (rings: [[Coordinate]]) in [Polygon(ring: rings[0], holes: Array(rings.dropFirst()))] }
        if crossings.isEmpty { return whole(cut.map { $0.map(\.from) }) }
        guard let seam = AntimeridianCut.seam(between: crossings) else { return whole(rings) }
        let bounds = RingEdge.rings(of: cut.flatMap(\.self) + seam)
        var parts = bounds.filter(Ring.isCounterclockwise).map { Polygon(ring: $0) }
        guard !parts.isEmpty else { return whole(rings) }
        for hole in bounds where !Ring.isCounterclockwise(hole) {
            let owner = parts.firstIndex { Ring.holds($0.ring, hole[0]) }
            parts[owner ?? 0].holes.append(hole)
        }
        return parts
    }

    /// Where a ring goes over the antimeridian.
    private struct Crossing {
        var latitude: Double
        var isEastward: Bool
    }

    private static func crossings(_ pieces: [RingEdge]) -> [Crossing] {
        pieces.indices.compactMap { at in
            let (end, start) = (pieces[at].to, pieces[(at + 1) % pieces.count].from)
            return end == start ? nil : Crossing(latitude: end.latitude, isEastward: end.longitude > 0)
        }
    }

    /// The edges along both sides of the antimeridian that bound the area there; nil when the crossings do not pair up.
    ///
    /// With the area on the left of every ring, it lies north of a crossing eastward, up to the next one, which is westward, or to the pole.
    private static func seam(between crossings: [Crossing]) -> [RingEdge]? {
        var edges: [RingEdge] = []
        var south: Double?
        for (at, crossing) in crossings.sorted(by: { $0.latitude < $1.latitude }).enumerated() {
            if crossing.isEastward {
                guard south == nil else { return nil }
                south = crossing.latitude
            } else {
                guard south != nil || at == 0 else { return nil }
                edges += stretch(from: south ?? -90, to: crossing.latitude)
                south = nil
            }
        }
        if let south { edges += stretch(from: south, to: 90) }
        return edges
    }

    private static func stretch(from south: Double, to north: Double) -> [RingEdge] {
        let east = [south, north].compactMap { Coordinate(latitude: $0, longitude: 180) }
        let west = [south, north].compactMap { Coordinate(latitude: $0, longitude: -180) }
        var edges = [RingEdge(east[0], east[1]), RingEdge(west[1], west[0])]
        if north == 90 { edges.append(RingEdge(east[1], west[1])) }
        if south == -90 { edges.append(RingEdge(west[0], east[0])) }
        return edges
    }

    /// An edge, in two where it crosses; a point on the antimeridian takes the side that its edge is on.
    private static func pieces(_ a: Coordinate, _ b: Coordinate) -> [RingEdge] {
        switch (abs(a.longitude) == 180, abs(b.longitude) == 180) {
        case (true, true):
            // The area is on the left: west of an edge that goes north.
            let isEast = b.latitude >= a.latitude
            return [RingEdge(a.onSeam(east: isEast), b.onSeam(east: isEast))]
        case (true, false): return [RingEdge(a.onSeam(east: b.longitude >= 0), b)]
        case (false, true): return [RingEdge(a, b.onSeam(east: a.longitude >= 0))]
        case (false, false):
            guard abs(b.longitude - a.longitude) > 180 else { return [RingEdge(a, b)] }
            let isEastward = a.longitude > 0
            let point = crossing(a, b)
            return [RingEdge(a, point.onSeam(east: isEastward)), RingEdge(point.onSeam(east: !isEastward), b)]
        }
    }

    /// Where a geodesic meets the antimeridian, by halving, to a nanometre.
    private static func crossing(_ a: Coordinate, _ b: Coordinate) -> Coordinate {
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
    fileprivate func onSeam(east: Bool) -> Coordinate {
        Coordinate(latitude: latitude, longitude: east ? 180 : -180) ?? self
    }
}
