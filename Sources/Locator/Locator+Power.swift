import Chronology
import Delivery
import Positioning

/// What receivers are to do, and how soon they are listened to: no more than somebody needs.
extension Locator {
    /// Somebody who waits for one position needs it at once, and at rest as well.
    private static let question = Demand(interval: .seconds(1), isUrgent: true, looksAtRest: nil)
    /// No port is read less often: the kernel keeps 4,095 bytes of a line, and what moves is to be noticed.
    private static let slowest = Instant.Span.seconds(5)

    /// What waking costs a receiver, once it is known which it is: it decides which pauses are worth it.
    public mutating func setCosts(_ costs: ReceiverCosts, of id: ReceiverID) {
        guard let at = index(id) else { return }
        tracks[at].power.planner.costs = costs
    }

    /// How often a receiver that nobody needs is to renew its orbits, so that who comes finds it warm; nil for never.
    public mutating func setKeepWarm(_ interval: Instant.Span?, of id: ReceiverID) {
        guard let at = index(id), tracks[at].power.keepsWarm != interval else { return }
        tracks[at].power.keepsWarm = interval
        needsChanged = plansPower || pacesReads
    }

    /// Who needs what has changed: works it out for every receiver and tells those for which it makes a difference.
    mutating func tellNeeds(at now: Instant, _ effects: inout [Effect]) {
        needsChanged = false
        guard plansPower || pacesReads else { return }
        for at in tracks.indices where tracks[at].status == .open {
            let (name, port) = (tracks[at].name, tracks[at].port)
            // Who follows the best one needs all of them: which is the best shows only while they work.
            let concerned: (String?) -> Bool = { wanted in wanted.map { $0 == name || $0 == port } ?? true }
            let isAsked = questions.contains(where: concerned)
            var demand = streams.demand(where: concerned)
            if isAsked { demand = demand?.joined(with: Locator.question) ?? Locator.question }
            if !visits.isEmpty { demand = demand?.joined(with: VisitTable.demand) ?? VisitTable.demand }
            if plansPower {
                tracks[at].power.planner.moves(areAtRest(concerned) ? .resting : .moving, at: now)
                // Nobody: then what keeps it warm for whoever comes.
                tracks[at].power.planner.need(demand ?? tracks[at].power.keepsWarm.map(Demand.warmth(every:)), at: now)
                tellPlan(at, at: now, &effects)
            }
            if pacesReads { tellPace(pace(demand, isAsked || streams.hasUrgent(where: concerned)), at, at: now, &effects) }
        }
    }

    /// Whether the device rests for all whom a receiver serves, and somebody is served.
    private func areAtRest(_ concerned: (String?) -> Bool) -> Bool {
        guard !visits.isEmpty else { return streams.areAtRest(where: concerned) }
        guard motion.state(VisitTable.patience, nil) == .stationary else { return false }
        return streams.demand(where: concerned) == nil || streams.areAtRest(where: concerned)
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

    private func pace(_ demand: Demand?, _ isUrgent: Bool) -> ReadPace {
        if isUrgent { return .atOnce }
        // Of several receivers the one whose fixes are late counts as lost: with others beside it each burst matters.
        guard tracks.count == 1 else { return .everyBurst }
        let interval = min(demand?.interval ?? Locator.slowest, Locator.slowest)
        return interval > .seconds(1) ? .atMostEvery(interval) : .everyBurst
    }
}
