import Chronology
import Delivery
import Locator
import Positioning
import Receivers

/// Does for one receiver what the core is to do: tells rest from movement, keeps the streams silent at rest, and plans.
///
/// It stands in until `Locator` makes `.plan` and `.pace` itself; then this file goes, and the streams are subscribed as they are. Until
/// then positions reach the streams from here, and reasons to have none from the core.
struct StandInPlanner: Sendable {
    private struct Stream: Sendable {
        var patience: MotionPatience
        var filter: StreamFilter
    }

    private let streams: [Demand]
    private var filters: [Stream]
    private var detectors: [MotionPatience: MotionDetector] = [:]
    private var planner: PowerPlanner
    private var plan: ReceiverPlan?
    private var pace: ReadPace?
    private let id: ReceiverID

    init(_ id: ReceiverID, _ configurations: [LiveConfiguration], costs: ReceiverCosts) {
        self.id = id
        streams = configurations.map(\.demand)
        filters = configurations.map {
            Stream(patience: $0.patience, filter: StreamFilter($0, StreamOptions(pausesWhenStationary: true)))
        }
        for configuration in configurations where detectors[configuration.patience] == nil {
            detectors[configuration.patience] = MotionDetector(configuration.patience)
        }
        planner = PowerPlanner(costs: costs)
    }

    var deadline: Instant? {
        detectors.values.reduce(planner.deadline) { earliest($0, $1.deadline) }
    }

    /// The streams are open.
    mutating func begin(at now: Instant, into effects: inout [Effect]) {
        planner.need(Demand.union(of: streams), at: now)
        tell(&effects)
    }

    /// Takes a turn's effects, and gives those that the core would have made.
    mutating func take(_ effects: inout [Effect], at now: Instant) {
        planner.tick(at: now)
        let epochs = effects.compactMap { effect -> Fix? in if case .epoch(_, let fix) = effect { fix } else { nil } }
        var made = effects.flatMap { passedOn($0, at: now) }
        for patience in MotionPatience.allCases {
            guard let action = detectors[patience]?.tick(at: now) else { continue }
            made += turned(by: action, of: patience, at: nil)
        }
        // Epochs that were read together did not happen together, and the detector goes by time.
        let newest = epochs.last?.time
        for fix in epochs {
            let age = newest.flatMap { newest in fix.time.map { newest.since($0) } } ?? .zero
            made += taken(fix, at: now - max(.zero, min(age, .seconds(10))), now)
        }
        tell(&made)
        effects = made
    }

    private mutating func passedOn(_ effect: Effect, at now: Instant) -> [Effect] {
        guard case .publish(let update, _) = effect else { return [effect] }
        guard let reason = update.unavailability, case .run = planner.plan else { return [] }
        let reached = filters.indices.filter { filters[$0].filter.admits(reason) }
        return reached.isEmpty ? [] : [.publish(update, reached.map { StreamID($0) })]
    }

    private mutating func taken(_ fix: Fix, at moment: Instant, _ now: Instant) -> [Effect] {
        var made: [Effect] = []
        if fix.coordinate != nil { planner.fixed(at: moment) }
        let location = Location(fix: fix, receiver: Rehearsal.name)
        for patience in MotionPatience.allCases {
            guard let action = detectors[patience]?.take(fix, at: moment) else { continue }
            made += turned(by: action, of: patience, at: location)
        }
        guard fix.coordinate != nil else { return made }
        planner.moves(filters.allSatisfy(\.filter.isPaused) && !filters.isEmpty ? .resting : .moving, at: now)
        let reached = filters.indices.filter { filters[$0].filter.admits(fix, at: moment) }
        if !reached.isEmpty { made.append(.publish(Update(location: location), reached.map { StreamID($0) })) }
        return made
    }

    /// What streams of a patience are told of an action.
    private mutating func turned(by action: MotionAction, of patience: MotionPatience, at location: Location?) -> [Effect] {
        var made: [Effect] = []
        for at in filters.indices where filters[at].patience == patience {
            guard case .pause(let place) = filters[at].filter.take(action), let location else { continue }
            var update = Update(location: location.resting(at: place))
            update.stationary = true
            made.append(.publish(update, [StreamID(at)]))
        }
        return made
    }

    /// Plan and pace, where they have changed.
    private mutating func tell(_ effects: inout [Effect]) {
        if planner.plan != plan {
            plan = planner.plan
            effects.append(.plan(id, planner.plan))
        }
        if wantedPace != pace {
            pace = wantedPace
            effects.append(.pace(id, wantedPace))
        }
    }

    private var wantedPace: ReadPace {
        guard let demand = Demand.union(of: streams) else { return .atMostEvery(.seconds(5)) }
        if demand.isUrgent { return .atOnce }
        // A look lasts longer by what is read late: 90 mJ a second, more than the wakeups that saves. On the way the core takes five
        // seconds without a byte for silence.
        let isResting = !filters.isEmpty && filters.allSatisfy(\.filter.isPaused)
        if isResting { return .everyBurst }
        return demand.interval > .seconds(1) ? .atMostEvery(min(demand.interval, .seconds(4))) : .everyBurst
    }
}
