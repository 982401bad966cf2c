import Chronology
import Geodesy
import Positioning

extension FenceWatch {
    /// Shows a fix to how a condition stands; returns metres to its boundary, positive inside.
    mutating func judge(
        _ at: Int, _ evidence: Evidence, _ previous: Evidence?, at now: Instant, _ events: inout [ConditionEvent]
    ) -> Double {
        guard let coordinate = evidence.fix.coordinate, let radius = evidence.fix.horizontalAccuracy else { return 0 }
        let margin = watched[at].condition.shape.margin(of: coordinate)
        if let kind = watched[at].standing.take(margin: margin, radius: radius, at: now) {
            events.append(
                ConditionEvent(
                    watched[at].id, kind, watched[at].standing.state, date: evidence.fix.time, location: evidence.fix, margin: margin))
        }
        return margin
    }

    /// The moment has come that a condition waited for.
    mutating func expireWait(_ at: Int, at now: Instant, _ events: inout [ConditionEvent]) {}
}
