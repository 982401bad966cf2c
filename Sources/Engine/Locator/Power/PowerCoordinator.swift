import Chronology

/// Turns the demands of all consumers into plans for the receivers and read policies for their
/// ports.
package struct PowerCoordinator: Sendable {
    /// The demand on a standby receiver, which is clearly less accurate than the primary one. It
    /// gets an occasional check fix.
    private static let standbyDemand = Demand(interval: .seconds(300), stationaryCheckInterval: nil)
    /// The longest interval between reads of a port. The kernel buffers 4,095 bytes of a line, and
    /// movement must be detected in time.
    private static let maxReadInterval = Instant.Span.seconds(5)

    private struct ReceiverDemand {
        /// The demand of the streams alone, and that of all requests.
        var ofStreams: Demand?
        var total: Demand?
        /// Whether all streams are paused because the device is stationary.
        var isPaused = false
        var isStandby = false
        /// Whether only the check of a fixed place needs the receiver.
        var isForCheck = false
        var isLowLatency = false
        /// Whether the arrival of the first byte of a burst is needed.
        var timesBurst = false
    }

    var emitsPlans = false
    var emitsReadPolicies = false
    /// Whether demands changed since the plans were last updated.
    private(set) var needsUpdate = false
    /// Counts the updates of all plans and read policies.
    package private(set) var revision: UInt64 = 0
    /// When boundary monitoring needs the next position; nil while no condition is monitored.
    private(set) var nextFixRequest: NextFixRequest?
    /// The sensors and programs that report when the device is moved.
    private(set) var motion = MotionSources()
    private var standbyReceivers: [ReceiverID] = []

    private var isActive: Bool { emitsPlans || emitsReadPolicies }

    /// Records that a demand changed; the next tick updates the plans.
    mutating func recordDemandChange() { needsUpdate = isActive }

    mutating func updateStandbyReceivers(_ receivers: ReceiverTable) {
        guard receivers.count > 1 || !standbyReceivers.isEmpty, emitsPlans else { return }
        let new = receivers.standbyReceivers
        guard new != standbyReceivers else { return }
        standbyReceivers = new
        needsUpdate = true
    }

    /// Sets when boundary monitoring needs the next position.
    mutating func setNextFixRequest(_ next: NextFixRequest?, for receivers: inout ReceiverTable, at now: Instant) {
        if (next == nil) != (nextFixRequest == nil) { recordDemandChange() }
        nextFixRequest = next
        guard emitsPlans else { return }
        for index in receivers.indices
        where receivers[index].isPortOpen && !standbyReceivers.contains(receivers[index].id) {
            receivers.update(at: index) { $0.power.planner.updateNextFixRequest(next, at: now) }
        }
    }

    /// Records a fix of a receiver with the planner, and returns the receiver's new plan. After a
    /// change of demands, updates all plans.
    mutating func recordFix(
        from index: Int, suspectsDeparture: Bool, _ receivers: inout ReceiverTable, for requests: ClientRequests,
        at now: Instant, epochEnd: Instant
    ) -> [Effect] {
        guard isActive else { return [] }
        if emitsPlans {
            receivers.update(at: index) {
                $0.power.planner.recordFix(at: epochEnd, suspectsDeparture: suspectsDeparture)
            }
        }
        if needsUpdate { return updateAll(&receivers, for: requests, at: now) }
        return emitsPlans ? newPlan(of: index, &receivers, at: now).map { [$0] } ?? [] : []
    }

    /// Processes a report that the device was moved. Returns the plans that differ.
    mutating func reportMotion(
        from source: String, isTrial: Bool, _ receivers: inout ReceiverTable, at now: Instant
    ) -> [Effect] {
        let revision = motion.revision
        let response = motion.report(from: source, isTrial: isTrial, at: now)
        // When checks are due depends on trust, also on that of a source that is ignored now.
        if motion.revision != revision { recordDemandChange() }
        guard response != .nothing, emitsPlans else { return [] }
        var effects: [Effect] = []
        var hasBegunCheck = false
        for index in receivers.indices where receivers[index].isPortOpen {
            let begins = receivers.update(at: index) { [motion] receiver in
                receiver.power.planner.updateQuiet(since: motion.quietSince, at: now)
                return receiver.power.planner.recordMotion(response, at: now)
            }
            hasBegunCheck = hasBegunCheck || begins
            if let plan = newPlan(of: index, &receivers, at: now) { effects.append(plan) }
        }
        if hasBegunCheck { motion.recordCheck(from: isTrial ? nil : source, at: now) }
        return effects
    }

    /// Changes the motion sources; the next tick updates the plans.
    mutating func updateMotion(_ change: (inout MotionSources) -> Void) {
        change(&motion)
        recordDemandChange()
    }

    /// Processes that the host is about to sleep, or has woken. Returns the plans that differ.
    mutating func setSuspended(
        _ isSuspended: Bool, _ receivers: inout ReceiverTable, for requests: ClientRequests, at now: Instant
    ) -> [Effect] {
        // The silence of motion sources during the sleep proves nothing.
        motion.setResting(false, at: now)
        for index in receivers.indices {
            receivers.update(at: index) { $0.power.planner.setSuspended(isSuspended, at: now) }
        }
        return updateAll(&receivers, for: requests, at: now)
    }

    /// Updates all plans for the current time.
    mutating func tick(
        _ receivers: inout ReceiverTable, for requests: ClientRequests, at now: Instant
    ) -> [Effect] {
        var effects = needsUpdate ? updateAll(&receivers, for: requests, at: now) : []
        guard emitsPlans else { return effects }
        for index in receivers.indices where receivers[index].isPortOpen {
            receivers.update(at: index) { $0.power.planner.tick(at: now) }
            if let plan = newPlan(of: index, &receivers, at: now) { effects.append(plan) }
        }
        return effects
    }

    /// Recalculates the demand on every receiver after a change. Returns the plans and read
    /// policies that differ.
    mutating func updateAll(
        _ receivers: inout ReceiverTable, for requests: ClientRequests, at now: Instant
    ) -> [Effect] {
        needsUpdate = false
        guard isActive else { return [] }
        motion.setResting(requests.isResting, at: now)
        revision += 1
        var effects: [Effect] = []
        for index in receivers.indices where receivers[index].status == .open {
            let demand = demand(on: index, receivers, for: requests)
            if emitsPlans {
                let isStationary = isStationary(demand, for: requests)
                receivers.update(at: index) { update(&$0.power, for: demand, isStationary: isStationary, at: now) }
                if let plan = newPlan(of: index, &receivers, at: now) { effects.append(plan) }
            }
            if emitsReadPolicies {
                let policy = readPolicy(for: demand, isOnlyReceiver: receivers.count == 1, requests)
                let isNew = receivers.update(at: index) { $0.setReadPolicy(policy, at: now) }
                if isNew { effects.append(.receiver(.readPolicy(receivers[index].id, policy))) }
            }
        }
        return effects
    }

    private func demand(
        on index: Int, _ receivers: ReceiverTable, for requests: ClientRequests
    ) -> ReceiverDemand {
        // A stream on the best receiver needs all of them, because only running receivers can be
        // compared.
        let all = receivers.selections(servedBy: index, isPrimary: true)
        var demand = ReceiverDemand(ofStreams: requests.streams.demand(servedBy: all))
        demand.isPaused = requests.streams.arePaused(servedBy: all)
        demand.isStandby =
            !demand.isPaused && standbyReceivers.contains(receivers[index].id)
            && demand.ofStreams.map { $0.interval < PowerCoordinator.standbyDemand.interval } ?? false
        // A stream that names a standby receiver still gets its fixes.
        let served = demand.isStandby ? receivers.selections(servedBy: index, isPrimary: false) : all
        demand.total = demand.ofStreams
        if demand.isStandby {
            demand.total = union(requests.streams.demand(servedBy: served), with: PowerCoordinator.standbyDemand)
        }
        let isRequested = requests.locations.hasRequest(servedBy: served)
        if isRequested { demand.total = union(demand.total, with: LocationRequestTable.demand) }
        if !requests.visits.isEmpty, receivers.fixedPlace == nil {
            demand.total = union(demand.total, with: VisitTable.demand)
        }
        let headings = requests.headings.demand
        if let headings { demand.total = union(demand.total, with: headings) }
        demand.timesBurst = requests.locations.hasRequest(servedBy: served, isTimed: true)
        let isUrgent = requests.locations.hasRequest(servedBy: served, isTimed: false)
        demand.isForCheck = demand.total == nil && receivers.fixedPlace?.isChecked == true
        demand.isLowLatency = isUrgent || headings != nil || requests.streams.needLowLatency(servedBy: served)
        return demand
    }

    private func union(_ demand: Demand?, with other: Demand) -> Demand { demand?.union(other) ?? other }

    private func update(
        _ power: inout ReceiverPower, for demand: ReceiverDemand, isStationary: Bool, at now: Instant
    ) {
        power.planner.updateQuiet(since: motion.quietSince, at: now)
        power.planner.updateMovement(isStationary ? .stationary : .moving, at: now)
        // Without other demand, an ephemeris refresh keeps the receiver ready for a fast start.
        let refresh =
            nextFixRequest == nil ? power.ephemerisRefreshInterval.map(Demand.ephemerisRefresh(every:)) : nil
        let unused = demand.isForCheck ? FixedPlace.checkDemand(with: refresh) : refresh
        power.planner.updateDemand(demand.total ?? unused, at: now)
        power.planner.updateNextFixRequest(demand.isStandby ? nil : nextFixRequest, at: now)
    }

    /// Returns whether the device is stationary for all consumers. Either every stream has been
    /// notified, or only boundaries and visits are monitored.
    private func isStationary(_ demand: ReceiverDemand, for requests: ClientRequests) -> Bool {
        guard nextFixRequest != nil || !requests.visits.isEmpty else { return demand.isPaused }
        return requests.boundaryRestingPlace != nil && (demand.ofStreams == nil || demand.isPaused)
    }

    private func newPlan(of index: Int, _ receivers: inout ReceiverTable, at now: Instant) -> Effect? {
        guard receivers[index].status == .open else { return nil }
        return receivers.update(at: index) { receiver in
            receiver.newPlan(at: now).map { .receiver(.plan(receiver.id, $0)) }
        }
    }

    private func readPolicy(
        for demand: ReceiverDemand, isOnlyReceiver: Bool, _ requests: ClientRequests
    ) -> ReadPolicy {
        if demand.isLowLatency { return .immediate }
        if demand.timesBurst { return .timedBurst }
        // A late read prolongs a duty-cycle fix at 90 mJ per second, which costs more than the
        // saved wakeups.
        if demand.isPaused || nextFixRequest != nil || !requests.visits.isEmpty { return .everyBurst }
        // With several receivers, one with late fixes counts as lost, so each burst is read.
        guard isOnlyReceiver else { return .everyBurst }
        let longest = PowerCoordinator.maxReadInterval
        let interval = min(demand.total?.interval ?? longest, longest)
        return interval > .seconds(1) ? .interval(interval) : .everyBurst
    }
}
