import Chronology
import Delivery
import Positioning

/// Places where the device stays, for those who want to know of these alone.
extension Locator {
    /// Opens a watch on visits; the present one, or that there is none, is among the effects. ``cancel(_:)`` closes it.
    public mutating func watchVisits(_ id: StreamID, at now: Instant, into effects: inout [Effect]) {
        if visits.isEmpty {
            motion.add(VisitTable.patience, nil)
            let place = motion.restingPlace(VisitTable.patience, nil)
            let last = lastPosition(nil, at: now)
            visits.begin(place, began: last.flatMap { last in place?.began(last.location.fix.time, at: last.at) }, at: now)
        }
        visits.add(id)
        effects.append(.visit(visits.visit, [id]))
        tellNeeds(at: now, &effects)
    }

    mutating func tell(_ action: VisitAction, _ effects: inout [Effect]) {
        switch action {
        case .arrived(let visit), .departed(let visit): effects.append(.visit(visit, visits.watchers))
        }
    }
}
