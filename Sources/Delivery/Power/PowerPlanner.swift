import Chronology

/// Decides from one moment to the next what one receiver is to do: the least that serves everybody who needs it.
///
/// Nobody for half a minute: it rests. Somebody who is served seldom: it sleeps between. A device that rests: it is looked at, at first often,
/// then seldom. Else it runs, at the pace of whoever is in the greatest hurry.
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
    /// A look that has not found a fix is given up after this, and the next is as far away as the one before it.
    static let lookPatience = Instant.Span.seconds(45)
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
    private var movement = Movement.moving
    private var pause = Instant.Span.zero
    private var firstFix: Instant?
    private var fixes = 0
    private var lastFix: Instant?

    /// The planner of a receiver that has just been found.
    public init(costs: ReceiverCosts = ReceiverCosts()) {
        self.costs = costs
    }

    /// When ``tick(at:)`` has something to decide.
    public var deadline: Instant? {
        switch state {
        case .running, .resting: nil
        case .looking(let since): demand.map { since + PowerPlanner.lookPatience + $0.reception } ?? since + PowerPlanner.grace
        case .sleeping(let until): until
        case .lingering(let since): since + PowerPlanner.grace
        }
    }

    /// What the receiver is to do now.
    public var plan: ReceiverPlan {
        switch state {
        case .running, .lingering: .run(running)
        case .looking: .run(RunPlan(period: .seconds(1), dynamics: running.dynamics))
        case .sleeping(let until): .standby(until: until)
        case .resting: .rest
        }
    }

    /// The union of what everybody needs has changed; nil when nobody needs anything.
    public mutating func need(_ demand: Demand?, at now: Instant) {
        guard demand != self.demand else { return }
        let before = self.demand
        self.demand = demand ?? before
        guard let demand else {
            if case .lingering = state { return }
            state = state == .resting ? .resting : isAwake ? .lingering(since: now) : .resting
            self.demand = nil
            return
        }
        let isNoMore = before.map { demand.interval >= $0.interval && demand.looksAtRest == $0.looksAtRest } ?? false
        if isNoMore && isAsleep && movement == .resting { return }
        // Who comes anew is served at once, from whatever rest.
        pause = .zero
        settle(at: now)
    }

    /// The device has come to rest or set off.
    public mutating func moves(_ movement: Movement, at now: Instant) {
        guard movement != self.movement else { return }
        self.movement = movement
        pause = .zero
        guard demand != nil else { return }
        if movement == .resting, demand?.looksAtRest != nil { return fallAsleep(at: now) }
        settle(at: now)
    }

    /// The receiver has made a fix.
    public mutating func fixed(at now: Instant) {
        lastFix = now
        guard case .looking = state else { return }
        fixes += 1
        firstFix = firstFix ?? now
        guard let firstFix, let demand else { return }
        let isEnough = isLookedAt ? fixes >= PowerPlanner.lookFixes && now - firstFix >= PowerPlanner.lookSpan : now - firstFix >= demand.reception
        if isEnough { fallAsleep(at: now) }
    }

    /// Lets time pass.
    public mutating func tick(at now: Instant) {
        guard let deadline, deadline <= now else { return }
        switch state {
        case .lingering: state = .resting
        case .sleeping: demand == nil ? state = .resting : look(at: now)
        case .looking: demand == nil ? state = .resting : fallAsleep(at: now)
        case .running, .resting: break
        }
    }

    private var running: RunPlan {
        guard let demand else { return RunPlan(isThrifty: true) }
        let period = max(PowerPlanner.fastest, min(demand.interval, .seconds(1)))
        return RunPlan(period: period, dynamics: demand.dynamics, isThrifty: !demand.isUrgent)
    }

    private var isAwake: Bool {
        switch state {
        case .running, .looking, .lingering: true
        case .sleeping, .resting: false
        }
    }

    private var isAsleep: Bool { if case .sleeping = state { true } else { false } }

    /// Whether the device is at rest and only looked at.
    private var isLookedAt: Bool { movement == .resting && demand?.looksAtRest != nil }

    private var isDuty: Bool { demand.map { $0.interval >= PowerPlanner.dutyInterval } ?? false }

    /// Awake for what is needed now.
    private mutating func settle(at now: Instant) {
        guard isLookedAt || isDuty, costs.sleeps else { return state = .running }
        if case .looking = state { return }
        look(at: now)
    }

    private mutating func look(at now: Instant) {
        (fixes, firstFix) = (0, nil)
        state = .looking(since: now)
    }

    /// Sleeps until the next look or the next fix that somebody waits for, if that is worth it.
    private mutating func fallAsleep(at now: Instant) {
        guard let demand, costs.sleeps else { return state = .running }
        let wait = isLookedAt ? nextPause(demand.looksAtRest ?? .others) : demand.interval - costs.hotStart
        guard wait >= costs.leastPause else { return state = .running }
        state = .sleeping(until: now + wait)
    }

    private mutating func nextPause(_ looks: LookInterval) -> Instant.Span {
        pause = pause == .zero ? looks.first : min(Instant.Span(nanoseconds: pause.nanoseconds * 2), looks.last)
        return pause
    }
}
