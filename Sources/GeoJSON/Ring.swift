import Geodesy

/// A ring of a polygon, not closed by a copy of its first point.
enum Ring {
    /// Degrees of longitude from `a` to `b`, the shorter way.
    static func step(_ a: Coordinate, _ b: Coordinate) -> Double {
        (b.longitude - a.longitude).remainder(dividingBy: 360)
    }

    /// Whether the smaller of the two areas that a ring parts lies on its left, so that it runs counterclockwise around it.
    static func isCounterclockwise(_ ring: [Coordinate]) -> Bool {
        var (east, area, height) = (0.0, 0.0, 0.0)
        for (at, point) in ring.enumerated() {
            let next = ring[(at + 1) % ring.count]
            let step = step(point, next)
            area += east * next.latitude - (east + step) * point.latitude
            height += step * (point.latitude + next.latitude)
            east += step
        }
        guard abs(east) > 180 else { return area > 0 }
        // Around a pole it comes back a whole turn further, and the pole on the side of its mean latitude is the nearer one.
        return (east > 0) == (height / east >= 0)
    }

    /// The ring the other way around.
    static func turned(_ ring: [Coordinate], counterclockwise: Bool) -> [Coordinate] {
        isCounterclockwise(ring) == counterclockwise ? ring : ring.reversed()
    }

    /// Whether a ring that does not cross the antimeridian holds a point, on a plain grid.
    static func holds(_ ring: [Coordinate], _ point: Coordinate) -> Bool {
        var isInside = false
        for (at, a) in ring.enumerated() {
            let b = ring[(at + 1) % ring.count]
            guard (a.latitude > point.latitude) != (b.latitude > point.latitude) else { continue }
            let share = (point.latitude - a.latitude) / (b.latitude - a.latitude)
            if point.longitude < a.longitude + share * (b.longitude - a.longitude) { isInside.toggle() }
        }
        return isInside
    }
}

/// A directed edge of a ring.
struct RingEdge: Hashable {
    var from: Coordinate
    var to: Coordinate

    init(_ from: Coordinate, _ to: Coordinate) {
        (self.from, self.to) = (from, to)
    }

    var reversed: RingEdge { RingEdge(to, from) }

    /// The rings that edges make, each of which ends where others begin; what does not close is left out.
    static func rings(of edges: [RingEdge]) -> [[Coordinate]] {
        var leaving: [Coordinate: [Int]] = [:]
        for (at, edge) in edges.enumerated().reversed() { leaving[edge.from, default: []].append(at) }
        var isUsed = Array(repeating: false, count: edges.count)
        var rings: [[Coordinate]] = []
        for first in edges.indices where !isUsed[first] {
            var ring: [Coordinate] = []
            var next: Int? = first
            while let at = next {
                isUsed[at] = true
                ring.append(edges[at].from)
                let end = edges[at].to
                if end == edges[first].from { break }
                while let last = leaving[end]?.last, isUsed[last] { leaving[end]?.removeLast() }
                next = leaving[end]?.last
            }
            if next != nil, ring.count >= 3 { rings.append(ring) }
        }
        return rings
    }
}
