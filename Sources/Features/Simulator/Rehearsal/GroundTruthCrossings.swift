import Chronology
import Geofencing

/// The true times at which the device enters and leaves an area.
struct GroundTruthCrossings: Sendable, Equatable {
    /// A crossing of the boundary.
    struct Crossing: Sendable, Equatable {
        /// The time since the start.
        var time: Instant.Span
        /// Whether the device enters the area.
        var isEntry: Bool
        /// The maximum distance in metres from the boundary before the next crossing. Above
        /// ``GroundTruthCrossings/far`` it is only a lower bound.
        var depth: Double
    }

    /// The path length in metres within which a boundary is located.
    static let resolution = 0.5
    /// The distance in metres from the boundary above which the exact value does not matter.
    static let far = 100.0

    /// Whether the device is inside at the start.
    let beginsInside: Bool
    /// The crossings in chronological order; entries and exits alternate.
    private(set) var crossings: [Crossing] = []

    init(of shape: FenceShape, along legs: [GroundTruthTrack.Leg]) {
        beginsInside = legs.first.map { shape.contains($0.from) } ?? false
        // The path length in metres before the device can get near the boundary. It lets the search
        // skip most legs of a day.
        var reserve = 0.0
        for leg in legs {
            reserve -= leg.length
            if reserve > 0 { continue }
            search(for: shape, along: leg)
            reserve = abs(shape.signedDistance(from: leg.to)) - GroundTruthCrossings.far
        }
    }

    /// Bisects a leg until its parts are short, or too far from the boundary to reach it.
    private mutating func search(for shape: FenceShape, along leg: GroundTruthTrack.Leg) {
        var parts = [(0.0, 1.0)]
        while let (begin, end) = parts.popLast() {
            let a = shape.signedDistance(from: leg.coordinate(at: begin))
            let b = shape.signedDistance(from: leg.coordinate(at: end))
            let length = (end - begin) * leg.length
            let isCrossed = (a >= 0) != (b >= 0)
            if length > GroundTruthCrossings.resolution, isCrossed || abs(a) + abs(b) <= length {
                let middle = (begin + end) / 2
                parts += [(middle, end), (begin, middle)]
                continue
            }
            updateDepth(abs(a))
            if isCrossed {
                let share = begin + (end - begin) * abs(a) / max(abs(a) + abs(b), 1e-9)
                crossings.append(
                    Crossing(time: leg.start + .seconds(leg.duration.seconds * share), isEntry: b >= 0, depth: 0))
            }
            updateDepth(abs(b))
        }
    }

    private mutating func updateDepth(_ metres: Double) {
        guard let last = crossings.indices.last else { return }
        crossings[last].depth = max(crossings[last].depth, metres)
    }
}
