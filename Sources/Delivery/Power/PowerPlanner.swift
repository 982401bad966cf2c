import Chronology

/// Decides from one moment to the next what one receiver is to do: the least that serves everybody who needs it.
///
/// Nobody for half a minute: it rests. Somebody who is served seldom: it sleeps between. A device that rests: it is looked at, at first often,
/// then seldom. No satellite for minutes: it is searched for now and then. Else it runs, at the pace of whoever is in the greatest hurry.
/// What the constants are and why: `docs/power.md`.
public struct PowerPlanner: Sendable {
    /// What is known of the device's movement.
    public enum Movement: Sendable, Equatable {
        /// It moves, or nothing is known.
        case moving
        /// It rests, and everybody who asked not to be told of that has been told.
        case resting
    }

    /// After the last consumer has gone the receiver goes on for this long: programs that ask again and again find it awake.
    static let grace = Instant.Span.seconds(30)
    /// From this interval on a receiver sleeps between fixes; below it, it saves power in its own ways.
    static let dutyInterval = Instant.Span.seconds(10)
    /// Fixes a look needs, and how far apart the first and the last must be: those just after a start are the worst.
    static let lookFixes = 2
    static let lookSpan = Instant.Span.seconds(5)
    /// A look that has not found a fix is given up after this.
    static let lookPatience = Instant.Span.seconds(45)
    /// A receiver that runs and finds no fix for so long has no sky, and none is to be expected soon: ten cold starts.
    static let searchPatience = Instant.Span.seconds(300)
    /// A look that comes this little before another is that one.
    static let slack = Instant.Span.seconds(5)
    /// The fastest that a receiver is asked to run; DESIGN section 8.
    static let fastest = Instant.Span.milliseconds(200)

    private enum State: Equatable {
        /// Runs for those who need each fix.
        case running
        /// Runs for one look or one fix of a duty cycle, since then.
        case looking(since: Instant)
        /// Sleeps until then.
        case sleeping(until: Instant)
        /// Nobody has needed it since then, and it still runs.
        case lingering(since: Instant)
        /// Rests until somebody needs it.
        case resting
    }

    /// What waking costs this receiver.
    public var costs: ReceiverCosts
    private var state = State.resting
    private var demand: Demand?
    private var next: NextLook?
    private var movement = Movement.moving
    /// No fix came for so long that it is searched for only now and then, while nobody is in a hurry.
    public private(set) var isBlind = false
    private var pauses = (streams: LookPause(), boundaries: LookPause(), search: LookPause())
    /// When streams want their next look or fix; those of boundaries come between.
    private var dueForStreams: Instant?
    /// Whether the look at hand is one for streams, which want it thorough.
    private var isThorough = true
    private var firstFix: Instant?
    private var fixes = 0
    /// When the last fix was made, or since when one is searched for.
    private var lastFix = Instant.zero

    /// The planner of a receiver that has just been found.
    public init(costs: ReceiverCosts = ReceiverCosts()) {
        self.costs = costs
    }

    /// When ``tick(at:)`` has something to decide.
    public var deadline: Instant? {
        switch state {
        case .running: costs.sleeps && !isUrgent ? lastFix + PowerPlanner.searchPatience : nil
        case .resting: nil
        case .looking(let since): max(since, lastFix) + PowerPlanner.lookPatience
        case .sleeping(let until): until
        case .lingering(let since): since + PowerPlanner.grace
        }
    }

    /// What the receiver is to do now.
    public var plan: ReceiverPlan {
        switch state {
        case .running, .lingering: .run(running)
        case .looking: .run(RunPlan(dynamics: running.dynamics, isLook: true))
        case .sleeping(let until): .standby(until: until)
        case .resting: .rest
        }
    }

    /// The union of what everybody needs has changed; nil when nobody needs anything.
    public mutating func need(_ demand: Demand?, at now: Instant) {
        guard demand != self.demand else { return }
        let before = self.demand
        self.demand = demand
        dueForStreams = nil
        guard let demand else { return isNeeded ? resettle(at: now) : release(at: now) }
        let isNoMore = before.map { demand.interval >= $0.interval && demand.looksAtRest == $0.looksAtRest } ?? false
        if isNoMore && isAsleep && movement == .resting { return }
        resettle(at: now)
    }

    /// When boundaries want the next fix; nil where nobody watches any. Tell it before ``fixed(at:isDoubtful:)`` of the same fix.
    public mutating func look(_ next: NextLook?, at now: Instant) {
        guard next != self.next else { return }
        let before = self.next
        self.next = next
        guard let next else { return isNeeded ? () : release(at: now) }
        guard before != nil else { return demand == nil || isAsleep ? resettle(at: now) : () }
        guard case .sleeping(let until) = state, !isBlind else { return }
        // A boundary that is nearer than those before it does not wait for theirs.
        let wanted = movement == .resting ? now + next.atRest.last : max(now, next.notBefore - costs.hotStart)
        if wanted < until { state = .sleeping(until: wanted) }
    }

    /// The device has come to rest or set off.
    public mutating func moves(_ movement: Movement, at now: Instant) {
        guard movement != self.movement else { return }
        self.movement = movement
        forgetPauses()
        guard isNeeded else { return }
        if isLookedAt, next?.isOpen != true { return fallAsleep(at: now) }
        settle(at: now)
    }

    /// The receiver has made a fix.
    ///
    /// - Parameter isDoubtful: whether a device that was at rest seems to be elsewhere: the look goes on until that is decided.
    public mutating func fixed(at now: Instant, isDoubtful: Bool = false) {
        lastFix = now
        guard isNeeded, isAwake else { return }
        if isBlind { seesAgain(at: now) }
        guard mayPause, costs.sleeps else { return }
        fixes += 1
        firstFix = firstFix ?? now
        if !isDoubtful, isEnough(at: now) { fallAsleep(at: now) }
    }

    /// Lets time pass.
    public mutating func tick(at now: Instant) {
        guard let deadline, deadline <= now else { return }
        switch state {
        case .lingering: state = .resting
        case .sleeping: look(at: now)
        case .looking, .running:
            if !isUrgent { isBlind = true }
            fallAsleep(at: now)
        case .resting: break
        }
    }
}

extension PowerPlanner {
    private var running: RunPlan {
        guard let demand else { return next == nil ? RunPlan(isThrifty: true) : RunPlan(isLook: true) }
        let period = max(PowerPlanner.fastest, min(demand.interval, .seconds(1)))
        return RunPlan(period: period, dynamics: demand.dynamics, isThrifty: !demand.isUrgent)
    }

    private var isNeeded: Bool { demand != nil || next != nil }
    private var isUrgent: Bool { demand?.isUrgent == true }

    private var isAwake: Bool {
        switch state {
        case .running, .looking, .lingering: true
        case .sleeping, .resting: false
        }
    }

    private var isAsleep: Bool { if case .sleeping = state { true } else { false } }

    /// Whether the device is at rest and only looked at.
    private var isLookedAt: Bool { movement == .resting && (demand.map { $0.looksAtRest != nil } ?? (next != nil)) }

    /// Whether nobody needs fixes in a row.
    private var isSeldom: Bool { demand.map { $0.interval >= PowerPlanner.dutyInterval } ?? (next != nil) }

    private var mayPause: Bool { isLookedAt || isSeldom || isBlind }

    /// Whether the fixes of this look are enough.
    private func isEnough(at now: Instant) -> Bool {
        if next?.isOpen == true { return false }
        guard isLookedAt, isThorough, let firstFix else { return true }
        return fixes >= PowerPlanner.lookFixes && now - firstFix >= PowerPlanner.lookSpan
    }

    /// Nobody needs it any more.
    private mutating func release(at now: Instant) {
        if case .lingering = state { return }
        isBlind = false
        state = isAwake ? .lingering(since: now) : .resting
    }

    /// Who comes anew is served at once, from whatever rest.
    private mutating func resettle(at now: Instant) {
        forgetPauses()
        lastFix = now
        settle(at: now)
    }

    /// Awake for what is needed now.
    private mutating func settle(at now: Instant) {
        if !isAwake || isBlind { lastFix = now }
        isBlind = false
        guard mayPause, costs.sleeps else { return state = .running }
        if case .looking = state { return }
        look(at: now)
    }

    private mutating func seesAgain(at now: Instant) {
        isBlind = false
        pauses.search = LookPause()
        if !mayPause { state = .running }
    }

    private mutating func look(at now: Instant) {
        (fixes, firstFix) = (0, nil)
        isThorough = demand != nil && dueForStreams.map { $0 <= now + PowerPlanner.slack } ?? true
        state = .looking(since: now)
    }

    private mutating func forgetPauses() {
        pauses = (LookPause(), LookPause(), LookPause())
        (dueForStreams, isThorough) = (nil, demand != nil)
    }

    /// Sleeps until the next look or the next fix that somebody waits for, if that is worth it.
    private mutating func fallAsleep(at now: Instant) {
        guard costs.sleeps, let until = nextWaking(after: now), until - now >= costs.leastPause else { return run(at: now) }
        state = .sleeping(until: until)
    }

    private mutating func run(at now: Instant) {
        state = .running
        // It is searched on, and asked again later.
        if isBlind { (isBlind, lastFix) = (false, now) }
    }

    private mutating func nextWaking(after now: Instant) -> Instant? {
        let wakes = earliest(streamsWaking(after: now), boundaryWaking(after: now))
        guard isBlind else { return wakes }
        let search = now + pauses.search.next(.withoutSky)
        return isSeldom ? max(search, wakes ?? search) : search
    }

    private mutating func streamsWaking(after now: Instant) -> Instant? {
        guard let demand, isLookedAt || isSeldom else { return nil }
        if let due = dueForStreams, due > now + PowerPlanner.slack { return due }
        dueForStreams = now + (isLookedAt ? pauses.streams.next(demand.looksAtRest ?? .others) : demand.interval - costs.hotStart)
        return dueForStreams
    }

    private mutating func boundaryWaking(after now: Instant) -> Instant? {
        guard let next else { return nil }
        let near = next.notBefore - costs.hotStart
        return movement == .resting ? max(near, now + pauses.boundaries.next(next.atRest)) : near
    }
}
