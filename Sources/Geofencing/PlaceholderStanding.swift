import Chronology
import Geodesy
import Positioning

// Until branch `decision` brings the real ones; to be deleted with its merge.

public struct RememberedStanding: Sendable, Equatable {
    public var state: ConditionState
    public init(state: ConditionState) { self.state = state }
}

struct ConditionStanding: Sendable {
    var state: ConditionState
    var isPending: Bool { since != nil }
    var deadline: Instant? { nil }
    private var since: Instant?

    init(_ condition: Condition, remembered: RememberedStanding?, at now: Instant) {
        state = remembered?.state ?? .unknown
    }

    static func reach(_ radius: Double) -> Double { 2 * max(radius, 10) + 10 }

    mutating func take(margin: Double, radius: Double, at now: Instant) -> ConditionEvent.Kind? {
        guard abs(margin) > max(radius, 10) else { return nil }
        let new: ConditionState = margin > 0 ? .satisfied : .unsatisfied
        defer { state = new }
        if state == new { since = nil; return nil }
        if state == .unknown { return .determined }
        return new == .satisfied ? .entered : .left
    }
    mutating func expire() { state = .unmonitored }
}

extension FenceShape {
    func margin(of point: Coordinate) -> Double {
        switch self {
        case .circle(let center, let radius): radius - center.nearbyDistance(to: point)
        default: -1e7
        }
    }
}
extension SpaceBox {
    init(_ shape: FenceShape) {
        if case .circle(let center, let radius) = shape {
            self.init(around: center, radius: radius)
        } else {
            self.init(GeoBox.everywhere)
        }
    }
}
