import Geodesy

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
