import Geodesy
import Geofencing

/// Joins the parts of an area that was cut along the antimeridian (RFC 7946, section 3.1.9).
///
/// Where two parts touch there, each has the same edge in the other direction, if both run counterclockwise. Such edges cancel, and the rest
/// makes the rings of the whole. A cap around a pole, whose one ring runs along both sides up to the pole, is joined with itself.
enum AntimeridianWeld {
    /// The parts as they are where none touch at the antimeridian.
    static func joined(_ parts: [Polygon]) -> [Polygon] {
        var edges: [RingEdge] = []
        for part in parts {
            edges += AntimeridianWeld.edges(of: Ring.turned(part.ring, counterclockwise: true))
            for hole in part.holes { edges += AntimeridianWeld.edges(of: Ring.turned(hole, counterclockwise: false)) }
        }
        let latitudes = Set(edges.filter(\.isAlongSeam).flatMap { [$0.from.latitude, $0.to.latitude] }).sorted()
        guard !latitudes.isEmpty else { return parts }
        var seam: Set<RingEdge> = []
        var hasJoined = false
        for edge in edges.filter(\.isAlongSeam).flatMap({ $0.split(at: latitudes) }) {
            if seam.remove(edge.reversed) != nil { hasJoined = true } else { seam.insert(edge) }
        }
        guard hasJoined else { return parts }
        let left = seam.sorted { ($0.from.latitude, $0.to.latitude) < ($1.from.latitude, $1.to.latitude) }
        let rings = RingEdge.rings(of: edges.filter { !$0.isAlongSeam } + left)
        let outer = rings.filter(Ring.isCounterclockwise)
        guard outer.count == 1 else { return outer.map { Polygon(ring: $0) } }
        return [Polygon(ring: outer[0], holes: rings.filter { !Ring.isCounterclockwise($0) })]
    }

    private static func edges(of ring: [Coordinate]) -> [RingEdge] {
        ring.indices.map { RingEdge(ring[$0].onSeam, ring[($0 + 1) % ring.count].onSeam) }.filter { $0.from != $0.to }
    }
}

extension RingEdge {
    /// Whether it runs along the antimeridian.
    fileprivate var isAlongSeam: Bool { from.longitude == -180 && to.longitude == -180 }

    /// In pieces that end at these latitudes, which ascend.
    fileprivate func split(at latitudes: [Double]) -> [RingEdge] {
        let isNorthward = from.latitude < to.latitude
        let (south, north) = isNorthward ? (from, to) : (to, from)
        var points = [south]
        for latitude in latitudes where latitude > south.latitude && latitude < north.latitude {
            if let point = Coordinate(latitude: latitude, longitude: -180) { points.append(point) }
        }
        points.append(north)
        let pieces = zip(points, points.dropFirst()).map { RingEdge($0, $1) }
        return isNorthward ? pieces : pieces.reversed().map(\.reversed)
    }
}
