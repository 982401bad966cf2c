import Chronology
import Delivery
import Positioning

/// What receivers are to do, and how soon they are listened to: no more than somebody needs.
extension Locator {
    /// Somebody who waits for one position needs it at once, and at rest as well.
    private static let question = Demand(interval: .seconds(1), isUrgent: true, looksAtRest: nil)
    /// A receiver that is clearly worse than the one that speaks is looked at now and then.
    private static let spare = Demand(interval: .seconds(300), looksAtRest: nil)
    /// No port is read less often: the kernel keeps 4,095 bytes of a line, and what moves is to be noticed.
    private static let slowest = Instant.Span.seconds(5)

    /// What waking costs a receiver, once it is known which it is: it decides which pauses are worth it.
    public mutating func setCosts(_ costs: ReceiverCosts, of id: ReceiverID) {
        guard let at = index(id) else { return }
        tracks[at].power.planner.costs = costs
    }

    /// Who needs what has changed: works it out for every receiver and tells those for which it makes a difference.
    mutating func tellNeeds(at now: Instant, _ effects: inout [Effect]) {
        needsChanged = false
        guard plansPower || pacesReads else { return }
        for at in tracks.indices where tracks[at].status == .open {
            let (name, port) = (tracks[at].name, tracks[at].port)
            // Who follows the best one needs all of them: which is the best shows only while they work.
            let concerned: (String?) -> Bool = { wanted in wanted.map { $0 == name || $0 == port } ?? true }
            let areAtRest = streams.areAtRest(where: concerned)
            var demand = streams.demand(where: concerned)
            let isSpare = !areAtRest && spares.contains(tracks[at].id) && demand.map { $0.interval < Locator.spare.interval } ?? false
            // Who names it is served by it all the same.
            let served: (String?) -> Bool = isSpare ? { $0 != nil && concerned($0) } : concerned
            if isSpare { demand = streams.demand(where: served)?.joined(with: Locator.spare) ?? Locator.spare }
            let isAsked = questions.contains(where: served)
            if isAsked { demand = demand?.joined(with: Locator.question) ?? Locator.question }
            if plansPower {
                tracks[at].power.planner.moves(rests(demand, areAtRest) ? .resting : .moving, at: now)
                tracks[at].power.planner.need(demand, at: now)
                tracks[at].power.planner.look(isSpare ? nil : nextLook, at: now)
                tellPlan(at, at: now, &effects)
            }
            if pacesReads { tellPace(pace(demand, areAtRest, isAsked || streams.hasUrgent(where: served)), at, at: now, &effects) }
        }
    }

    /// Whether the device rests for all who need its position: every stream has been told so, or boundaries alone are watched.
    private func rests(_ demand: Demand?, _ areAtRest: Bool) -> Bool {
        guard nextLook != nil else { return areAtRest }
        return motion.restingPlace(.any, nil) != nil && (demand == nil || areAtRest)
    }

    /// Those that were let rest have changed.
    mutating func noteSpares() {
        guard tracks.count > 1 || !spares.isEmpty, plansPower else { return }
        let now = choice.spares
        if now != spares { (spares, needsChanged) = (now, true) }
    }

    /// After an epoch of one receiver.
    mutating func tellPower(_ at: Int, at now: Instant, _ effects: inout [Effect]) {
        if needsChanged { return tellNeeds(at: now, &effects) }
        if plansPower { tellPlan(at, at: now, &effects) }
    }

    /// Lets time pass.
    mutating func tickPower(at now: Instant, _ effects: inout [Effect]) {
        if needsChanged { tellNeeds(at: now, &effects) }
        guard plansPower else { return }
        for at in tracks.indices {
            tracks[at].power.planner.tick(at: now)
            tellPlan(at, at: now, &effects)
        }
    }

    private mutating func tellPlan(_ at: Int, at now: Instant, _ effects: inout [Effect]) {
        guard tracks[at].status == .open, let plan = tracks[at].newPlan(at: now) else { return }
        effects.append(.plan(tracks[at].id, plan))
    }

    private mutating func tellPace(_ pace: ReadPace, _ at: Int, at now: Instant, _ effects: inout [Effect]) {
        guard tracks[at].setPace(pace, at: now) else { return }
        effects.append(.pace(tracks[at].id, pace))
    }

    private func pace(_ demand: Demand?, _ areAtRest: Bool, _ isUrgent: Bool) -> ReadPace {
        if isUrgent { return .atOnce }
        // A look lasts longer by what is read late: 90 mJ a second, more than the wakeups it saves.
        if areAtRest || nextLook != nil { return .everyBurst }
        // Of several receivers the one whose fixes are late counts as lost: with others beside it each burst matters.
        guard tracks.count == 1 else { return .everyBurst }
        let interval = min(demand?.interval ?? Locator.slowest, Locator.slowest)
        return interval > .seconds(1) ? .atMostEvery(interval) : .everyBurst
    }
}
