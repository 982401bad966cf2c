import Chronology
import Geodesy
import Geofencing

/// When the device truly comes into an area and goes out of it.
struct TrueCrossings: Sendable, Equatable {
    /// A moment on the boundary.
    struct Crossing: Sendable, Equatable {
        /// Since the start.
        var at: Instant.Span
        /// Whether it comes in there.
        var isEntry: Bool
        /// Metres that it then gets away from the boundary before it is back there; beyond ``far`` no more exactly than that.
        var depth: Double
    }

    /// Metres of way within which a boundary is found.
    static let grain = 0.5
    /// Metres from the boundary at which nothing depends on how many they are.
    static let far = 100.0

    /// Whether it begins inside.
    let beginsInside: Bool
    /// In the order of time; in and out take turns.
    private(set) var crossings: [Crossing] = []

    init(of shape: FenceShape, along legs: [TrueWay.Leg]) {
        beginsInside = legs.first.map { shape.contains($0.from) } ?? false
        // A way cannot cross a boundary that is farther off than the way is long, so most legs of a day need no look.
        var reserve = 0.0
        for leg in legs {
            reserve -= leg.length
            if reserve > 0 { continue }
            search(shape, leg)
            reserve = abs(shape.signedDistance(from: leg.to)) - TrueCrossings.far
        }
    }

    /// Halves a leg until its parts are short, or too far from the boundary to reach it.
    private mutating func search(_ shape: FenceShape, _ leg: TrueWay.Leg) {
        var parts = [(0.0, 1.0)]
        while let (begin, end) = parts.popLast() {
            let (a, b) = (shape.signedDistance(from: leg.place(begin)), shape.signedDistance(from: leg.place(end)))
            let length = (end - begin) * leg.length
            let isCrossed = (a >= 0) != (b >= 0)
            if length > TrueCrossings.grain, isCrossed || abs(a) + abs(b) <= length {
                let middle = (begin + end) / 2
                parts += [(middle, end), (begin, middle)]
                continue
            }
            deepen(abs(a))
            if isCrossed {
                let share = begin + (end - begin) * abs(a) / max(abs(a) + abs(b), 1e-9)
                crossings.append(Crossing(at: leg.start + .seconds(leg.duration.seconds * share), isEntry: b >= 0, depth: 0))
            }
            deepen(abs(b))
        }
    }

    private mutating func deepen(_ metres: Double) {
        guard let last = crossings.indices.last else { return }
        crossings[last].depth = max(crossings[last].depth, metres)
    }
}
