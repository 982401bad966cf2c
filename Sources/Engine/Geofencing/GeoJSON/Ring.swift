import Geodesy

/// Functions for polygon rings that do not repeat their first point at the end.
enum Ring {
    /// Returns the longitude difference from `a` to `b` in degrees, in the shorter direction.
    static func longitudeDifference(from a: Coordinate, to b: Coordinate) -> Double {
        (b.longitude - a.longitude).remainder(dividingBy: 360)
    }

    /// Returns whether the ring runs counterclockwise, that is, whether the smaller of the two
    /// areas that it separates lies on its left.
    static func isCounterclockwise(_ ring: [Coordinate]) -> Bool {
        // Degrees east of the first point along the ring.
        var east = 0.0
        // Twice the area in square degrees, and twice the integral of the latitude.
        var doubleArea = 0.0
        var doubleHeight = 0.0
        for (index, point) in ring.enumerated() {
            let next = ring[(index + 1) % ring.count]
            let step = longitudeDifference(from: point, to: next)
            doubleArea += east * next.latitude - (east + step) * point.latitude
            doubleHeight += step * (point.latitude + next.latitude)
            east += step
        }
        guard abs(east) > 180 else { return doubleArea > 0 }
        // A ring around a pole spans 360 degrees. Its mean latitude decides which pole is nearer.
        return (east > 0) == (doubleHeight / east >= 0)
    }

    /// Returns the ring in the requested direction.
    static func oriented(_ ring: [Coordinate], counterclockwise: Bool) -> [Coordinate] {
        isCounterclockwise(ring) == counterclockwise ? ring : ring.reversed()
    }

    /// Returns whether a ring that does not cross the antimeridian contains a point, in plane
    /// longitude and latitude.
    static func contains(_ point: Coordinate, in ring: [Coordinate]) -> Bool {
        var isInside = false
        for (index, a) in ring.enumerated() {
            let b = ring[(index + 1) % ring.count]
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

    init(from: Coordinate, to: Coordinate) {
        (self.from, self.to) = (from, to)
    }

    var reversed: RingEdge { RingEdge(from: to, to: from) }

    /// Returns the closed rings that the edges form; edges that do not close a ring are dropped.
    static func rings(of edges: [RingEdge]) -> [[Coordinate]] {
        var leaving: [Coordinate: [Int]] = [:]
        for (index, edge) in edges.enumerated().reversed() { leaving[edge.from, default: []].append(index) }
        var isUsed = Array(repeating: false, count: edges.count)
        var rings: [[Coordinate]] = []
        for first in edges.indices where !isUsed[first] {
            var ring: [Coordinate] = []
            var next: Int? = first
            while let index = next {
                isUsed[index] = true
                ring.append(edges[index].from)
                let end = edges[index].to
                if end == edges[first].from { break }
                while let last = leaving[end]?.last, isUsed[last] { leaving[end]?.removeLast() }
                next = leaving[end]?.last
            }
            if next != nil, ring.count >= 3 { rings.append(ring) }
        }
        return rings
    }
}
