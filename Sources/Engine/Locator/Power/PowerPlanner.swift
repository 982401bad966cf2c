import Chronology

/// Plans what one receiver does over time: the least that satisfies all demands.
///
/// - Without demand for 30 s, the receiver is put to sleep.
/// - With infrequent demand, it sleeps between fixes.
/// - While the device is stationary, the planner checks it often at first, then less often.
/// - Without satellites for minutes, the receiver searches only periodically.
/// - Otherwise it runs at the rate of the shortest interval in demand.
///
/// `docs/power.md` lists the constants and their reasons.
public struct PowerPlanner: Sendable {
    /// The known movement of the device.
    public enum Movement: Sendable, Equatable {
        /// The device moves, or its movement is unknown.
        case moving
        /// The device is stationary, and every stream that pauses then has published it.
        case stationary
    }

    /// How long the receiver keeps running after the last client has left. Programs that request
    /// often then find it awake.
    static let idleGracePeriod = Instant.Span.seconds(30)
    /// The shortest fix interval at which a receiver sleeps between fixes. With shorter intervals
    /// it uses its own power-save modes.
    public static let minDutyCycleInterval = Instant.Span.seconds(10)
    /// The time after which a check without a fix ends.
    static let checkTimeout = Instant.Span.seconds(45)
    /// The time without a fix after which the sky counts as blocked and no fix is expected soon:
    /// ten cold starts.
    static let searchTimeout = Instant.Span.seconds(300)
    /// Checks that are due within this time of each other count as one.
    static let coincidenceTolerance = Instant.Span.seconds(5)
    /// How long a check runs on after its first fix, after a report of a trusted motion source: a
    /// vehicle that has just started has left its place by then.
    static let motionCheckTime = Instant.Span.seconds(10)
    /// How long trusted motion sources must be silent before checks become rare.
    static let quietTime = Instant.Span.seconds(120)
    /// The time between two checks then. It bounds the delay of a departure that no source reports.
    static let maxQuietPause = Instant.Span.seconds(3600)
    /// The shortest fix interval that the planner requests (`docs/power.md`).
    static let minFixInterval = Instant.Span.milliseconds(200)

    private enum State: Equatable {
        /// The receiver runs because a client needs every fix.
        case running
        /// The receiver has been running since this time for one check or one duty-cycle fix.
        case checking(since: Instant)
        /// The receiver sleeps until this time.
        case sleeping(until: Instant)
        /// Demand ended at this time, and the receiver still runs.
        case idle(since: Instant)
        /// The receiver sleeps until there is demand.
        case sleepingIndefinitely
    }

    /// The cost of waking this receiver.
    public var costs: ReceiverCosts
    private var state = State.sleepingIndefinitely
    private var demand: Demand?
    private var next: NextFixRequest?
    private var movement = Movement.moving
    /// Whether the receiver has found no fix for so long that it searches only periodically. Low
    /// latency prevents this.
    public private(set) var isSkyBlocked = false
    private var pauses = (
        streams: ExponentialBackoff(), boundaries: ExponentialBackoff(), search: ExponentialBackoff()
    )
    /// When streams need their next check or fix; checks for monitors occur in between.
    private var nextStreamCheck: Instant?
    private var firstFix: Instant?
    /// The shortest time from the first fix of this check to its end.
    private var minimumCheckTime = Instant.Span.zero
    /// Since when trusted motion sources report nothing about a stationary device; nil if their
    /// silence proves nothing.
    private var quietSince: Instant?
    /// The time of the last fix, or the start of the current search.
    private var lastFix = Instant.zero
    /// Whether the host is about to sleep, so that a receiver which runs must sleep too.
    private var isSuspended = false

    /// Creates a planner for a newly found receiver.
    public init(costs: ReceiverCosts = ReceiverCosts()) {
        self.costs = costs
    }

    /// The next time at which ``tick(at:)`` must be called.
    public var deadline: Instant? {
        if isSuspended { return nil }
        return switch state {
        case .running: costs.supportsSleep && !isLowLatency ? lastFix + PowerPlanner.searchTimeout : nil
        case .sleepingIndefinitely: nil
        case .checking(let since): max(since, lastFix) + PowerPlanner.checkTimeout
        case .sleeping(let until): until
        case .idle(let since): since + PowerPlanner.idleGracePeriod
        }
    }

    /// What the receiver does now.
    public var plan: ReceiverPlan {
        if isSuspended, isAwake { return .sleepIndefinitely }
        return switch state {
        case .running, .idle: .run(running)
        case .checking: .run(RunPlan(dynamics: running.dynamics, isDutyCycleFix: true))
        case .sleeping(let until): .sleep(until: until)
        case .sleepingIndefinitely: .sleepIndefinitely
        }
    }

    /// Updates the combined demand of all streams; nil if there is none.
    public mutating func updateDemand(_ demand: Demand?, at now: Instant) {
        guard demand != self.demand else { return }
        let before = self.demand
        self.demand = demand
        nextStreamCheck = nil
        guard let demand else { return isNeeded ? restart(at: now) : endDemand(at: now) }
        let isNoMore =
            before.map {
                demand.interval >= $0.interval && demand.stationaryCheckInterval == $0.stationaryCheckInterval
            } ?? false
        if isNoMore && isSleepPlanned && movement == .stationary { return }
        restart(at: now)
    }

    /// Updates when monitors need the next fix; nil if there are no monitors. Call it before
    /// ``recordFix(at:suspectsDeparture:)`` for the same fix.
    public mutating func updateNextFixRequest(_ next: NextFixRequest?, at now: Instant) {
        guard next != self.next else { return }
        let before = self.next
        self.next = next
        guard let next else { return isNeeded ? () : endDemand(at: now) }
        guard before != nil else { return demand == nil || isSleepPlanned ? restart(at: now) : () }
        guard case .sleeping(let until) = state, !isSkyBlocked else { return }
        // A boundary that is now nearer moves the wakeup forward.
        let wakeup =
            movement == .stationary
            ? now + next.stationaryCheckInterval.last : max(now, next.notBefore - costs.hotStart)
        if wakeup < until { state = .sleeping(until: wakeup) }
    }

    /// Updates the movement state of the device.
    public mutating func updateMovement(_ movement: Movement, at now: Instant) {
        guard movement != self.movement else { return }
        self.movement = movement
        resetPauses()
        guard isNeeded else { return }
        if needsOnlyChecks, next?.needsConfirmation != true { return fallAsleep(at: now) }
        wake(at: now)
    }

    /// Processes that the host is about to sleep, or has woken: then a receiver that is needed gets
    /// a fix at once.
    mutating func setSuspended(_ isSuspended: Bool, at now: Instant) {
        self.isSuspended = isSuspended && costs.supportsSleep
        if self.isSuspended, case .idle = state { state = .sleepingIndefinitely }
        if !isSuspended, isNeeded { restart(at: now) }
    }

    /// Processes the report of a motion source that the stationary device was moved.
    ///
    /// - Parameter response: What the report causes, if the receiver sleeps.
    /// - Returns: Whether a check began.
    mutating func recordMotion(_ response: MotionSources.Response, at now: Instant) -> Bool {
        guard isSleepPlanned, needsOnlyChecks else { return false }
        guard case .check(let isLong) = response, nextCrossing(at: now) <= now else {
            shortenSleep(at: now)
            return false
        }
        wake(at: now)
        if isLong { minimumCheckTime = PowerPlanner.motionCheckTime }
        return true
    }

    /// Sets since when trusted motion sources report nothing about a stationary device; nil if
    /// their silence proves nothing. A longer pause applies from the next sleep on.
    mutating func updateQuiet(since: Instant?, at now: Instant) {
        let wasQuiet = quietSince != nil
        quietSince = since
        if wasQuiet, since == nil { shortenSleep(at: now) }
    }

    /// Makes the next check due as soon as without any motion source.
    private mutating func shortenSleep(at now: Instant) {
        guard case .sleeping(let until) = state, needsOnlyChecks, !isSkyBlocked else { return }
        let intervals = [demand?.stationaryCheckInterval, next?.stationaryCheckInterval].compactMap(\.self)
        let latest = max(nextCrossing(at: now), now + (intervals.map(\.last).min() ?? .zero))
        if latest < until { state = .sleeping(until: latest) }
    }

    /// Before this time a device that departs reaches no boundary; `now` if a departure matters
    /// wherever it is.
    private func nextCrossing(at now: Instant) -> Instant {
        demand == nil ? next.map { $0.notBefore - costs.hotStart } ?? now : now
    }

    /// Processes a fix of the receiver.
    ///
    /// - Parameter suspectsDeparture: Whether a stationary device seems to have moved. The check
    ///   continues until this is decided.
    public mutating func recordFix(at now: Instant, suspectsDeparture: Bool = false) {
        lastFix = now
        guard isNeeded, isAwake else { return }
        if isSkyBlocked { recoverSky(at: now) }
        guard maySleepBetweenFixes, costs.supportsSleep else { return }
        firstFix = firstFix ?? now
        if !suspectsDeparture, isCheckComplete(at: now) { fallAsleep(at: now) }
    }

    /// Applies all changes that are due at `now`.
    public mutating func tick(at now: Instant) {
        guard let deadline, deadline <= now else { return }
        switch state {
        case .idle: state = .sleepingIndefinitely
        case .sleeping: startCheck(at: now)
        case .checking, .running:
            if !isLowLatency { isSkyBlocked = true }
            fallAsleep(at: now)
        case .sleepingIndefinitely: break
        }
    }
}

extension PowerPlanner {
    private var running: RunPlan {
        guard let demand else { return next == nil ? RunPlan(allowsPowerSave: true) : RunPlan(isDutyCycleFix: true) }
        let period = max(PowerPlanner.minFixInterval, min(demand.interval, .seconds(1)))
        return RunPlan(period: period, dynamics: demand.dynamics, allowsPowerSave: !demand.isLowLatency)
    }

    private var isNeeded: Bool { demand != nil || next != nil }
    private var isLowLatency: Bool { demand?.isLowLatency == true }

    private var isAwake: Bool {
        switch state {
        case .running, .checking, .idle: true
        case .sleeping, .sleepingIndefinitely: false
        }
    }

    private var isSleepPlanned: Bool { if case .sleeping = state { true } else { false } }

    /// Whether the device is stationary and needs only checks.
    private var needsOnlyChecks: Bool {
        movement == .stationary && (demand.map { $0.stationaryCheckInterval != nil } ?? (next != nil))
    }

    /// Whether the demand allows sleep between fixes.
    private var isInfrequent: Bool { demand.map { $0.interval >= PowerPlanner.minDutyCycleInterval } ?? (next != nil) }

    private var maySleepBetweenFixes: Bool { needsOnlyChecks || isInfrequent || isSkyBlocked }

    /// Whether the current check has enough fixes.
    private func isCheckComplete(at now: Instant) -> Bool {
        if next?.needsConfirmation == true { return false }
        guard let firstFix else { return true }
        return now - firstFix >= max(minimumCheckTime, demand?.minimumOnTime ?? .zero)
    }

    private mutating func endDemand(at now: Instant) {
        if case .idle = state { return }
        isSkyBlocked = false
        state = isAwake ? .idle(since: now) : .sleepingIndefinitely
    }

    /// Handles new demand, which gets a fix immediately in any state.
    private mutating func restart(at now: Instant) {
        resetPauses()
        lastFix = now
        wake(at: now)
    }

    /// Wakes the receiver as the current demand requires.
    private mutating func wake(at now: Instant) {
        if !isAwake || isSkyBlocked { lastFix = now }
        isSkyBlocked = false
        guard maySleepBetweenFixes, costs.supportsSleep else { return state = .running }
        if case .checking = state { return }
        startCheck(at: now)
    }

    private mutating func recoverSky(at now: Instant) {
        isSkyBlocked = false
        pauses.search.reset()
        if !maySleepBetweenFixes { state = .running }
    }

    private mutating func startCheck(at now: Instant) {
        firstFix = nil
        minimumCheckTime = .zero
        state = .checking(since: now)
    }

    private mutating func resetPauses() {
        pauses.streams.reset()
        pauses.boundaries.reset()
        pauses.search.reset()
        nextStreamCheck = nil
    }

    /// Sleeps until the next check or fix is due, if the pause saves energy.
    private mutating func fallAsleep(at now: Instant) {
        guard costs.supportsSleep, let until = nextWakeup(after: now), until - now >= costs.minSleepDuration else {
            return run(at: now)
        }
        state = .sleeping(until: until)
    }

    private mutating func run(at now: Instant) {
        state = .running
        // Continues the search and tests for a blocked sky again later.
        if isSkyBlocked { (isSkyBlocked, lastFix) = (false, now) }
    }

    private mutating func nextWakeup(after now: Instant) -> Instant? {
        let wakeup = earliest(streamWakeup(after: now), boundaryWakeup(after: now))
        guard isSkyBlocked else { return wakeup }
        let search = now + pauses.search.next(.noSky)
        return isInfrequent ? max(search, wakeup ?? search) : search
    }

    private mutating func streamWakeup(after now: Instant) -> Instant? {
        guard let demand, needsOnlyChecks || isInfrequent else { return nil }
        if !needsOnlyChecks, let due = nextStreamCheck, due > now + PowerPlanner.coincidenceTolerance { return due }
        nextStreamCheck =
            now
            + (needsOnlyChecks
                ? quietPause(at: now) ?? pauses.streams.next(demand.stationaryCheckInterval ?? .standard)
                : demand.interval - costs.hotStart)
        return nextStreamCheck
    }

    private mutating func boundaryWakeup(after now: Instant) -> Instant? {
        guard let next else { return nil }
        let near = next.notBefore - costs.hotStart
        guard movement == .stationary else { return near }
        return max(near, now + (quietPause(at: now) ?? pauses.boundaries.next(next.stationaryCheckInterval)))
    }

    /// The pause while trusted motion sources are silent; nil while their silence proves nothing.
    /// The search for the sky goes on as without a source.
    private func quietPause(at now: Instant) -> Instant.Span? {
        !isSkyBlocked && PowerPlanner.isQuiet(since: quietSince, at: now) ? PowerPlanner.maxQuietPause : nil
    }

    /// Returns whether trusted motion sources have been silent for long enough to make checks rare.
    static func isQuiet(since: Instant?, at now: Instant) -> Bool { since.map { now - $0 >= quietTime } ?? false }
}

/// The cost of sleep for one receiver. It decides which pauses save energy.
public struct ReceiverCosts: Sendable, Equatable {
    /// Time from waking to the first fix while the ephemerides are valid.
    public var hotStart: Instant.Span
    /// Ratio of power while searching to power while tracking.
    public var searchFactor: Double
    /// Whether commands on the line can put the receiver to sleep and wake it.
    public var supportsSleep: Bool

    /// Creates the costs of a receiver.
    public init(hotStart: Instant.Span = .seconds(2), searchFactor: Double = 1.2, supportsSleep: Bool = true) {
        self.hotStart = hotStart
        self.searchFactor = searchFactor
        self.supportsSleep = supportsSleep
    }

    /// The shortest pause that saves energy. Tracking through the pause must cost at least twice
    /// the search afterwards, since a start under a poor sky takes longer than the data sheet value
    /// (`docs/power.md`).
    public var minSleepDuration: Instant.Span { .seconds(max(3, hotStart.seconds * searchFactor * 2)) }
}
