import Chronology
import Geodesy
import Geofencing
import Locator
import Permission
import Positioning
import SQLite
import SextantAPI
import StateStore
import SystemCalls

extension ConditionRecord {
    init(_ record: StoredCondition) {
        self.init(condition: record.added.message, state: record.snapshot.state)
        added = record.date
        since = record.snapshot.since
        lastEvent = record.lastAcknowledged.map { Event($0, metadata: record.added.metadata) }
        pending = record.nextEvent.map { Event($0, metadata: record.added.metadata) }
        isMorePending = record.furtherPending > 0
    }

    /// Creates the complete message of a condition: its stored data and its state in the core.
    ///
    /// - Parameter exceedsLimit: Whether its program may not have as many monitored conditions.
    init(_ record: StoredCondition, exceedsLimit: Bool, in core: Locator, at now: Instant) {
        self.init(record)
        if exceedsLimit, state != .unmonitored {
            state = .unmonitored
            conditionLimitExceeded = true
            return
        }
        guard let state = core.conditions.state(of: record.id) else { return }
        if state != self.state {
            self.state = state
            since = nil
        }
        if let seen = core.conditions.lastEvaluation(of: record.id) {
            evaluated = HostClock.utc.advanced(by: seen - now)
        }
        guard let position = CurrentPosition(in: core, at: now) else { return }
        distance = core.conditions.engine.distance(of: record.id, to: position.coordinate)?.margin ?? distance
        radiusTooSmall = record.added.condition.shape?.isTooSmall(forAccuracy: position.radius) ?? false
    }
}

/// The position of the device while it counts as current.
struct CurrentPosition {
    /// The age from which a position no longer counts as current. While stationary, check fixes are
    /// five minutes apart.
    private static let maxAge = Instant.Span.seconds(330)

    let coordinate: Coordinate
    /// The R68 in metres.
    let radius: Double
    let message: EventPlace

    init?(in core: Locator, at now: Instant) {
        guard let last = core.position(at: now), now - last.at <= CurrentPosition.maxAge,
            let coordinate = last.location.fix.coordinate, let radius = last.location.fix.horizontalAccuracy,
            let message = EventPlace(last.location.fix, receiver: last.location.receiver)
        else { return nil }
        (self.coordinate, self.radius) = (coordinate, radius)
        self.message = message
    }
}

extension MonitorStore {
    /// Returns the conditions of a program that are nearest to a position, or of one of its
    /// monitors. The cost depends on the conditions of this program only.
    func neighbours(
        of owner: ProgramID, monitor: String?, count: Int, at position: CurrentPosition, _ core: Locator
    ) throws(StoreError) -> Neighbourhood {
        let own = try conditions(of: owner.description, monitor: monitor)
        var names: [MonitorID: String] = [:]
        var messages: [Neighbour] = []
        for near in core.conditions.engine.nearest(to: position.coordinate, among: own, count: count) {
            guard let added = try self.added(near.condition) else { continue }
            var name = names[added.monitor]
            if name == nil { name = try description(of: added.monitor)?.name }
            guard let name else { continue }
            names[added.monitor] = name
            messages.append(
                Neighbour(
                    monitor: name, condition: added.condition.message, state: near.state, distance: near.margin))
        }
        return Neighbourhood(location: position.message, neighbours: messages)
    }
}

extension StoredCondition {
    /// The approximate size of its message in bytes.
    var approximateSize: Int {
        let points =
            switch added.condition.shape {
            case .circle: 1
            case .polygon(let polygon): polygon.holes.reduce(polygon.ring.count) { $0 + $1.count }
            case .corridor(let path, _): path.count
            case nil: 0
            }
        return 1000 + 64 * points + 3 * (added.metadata?.utf8.count ?? 0)
    }
}

extension Event {
    /// Creates the message of an event from its stored form and the metadata of its condition.
    init(_ stored: StoredEvent, metadata: String?) {
        let event = stored.event
        self.init(
            id: Int(stored.sequence), identifier: stored.identifier, kind: event.kind, state: event.state,
            recorded: stored.recorded, folded: stored.folded)
        date = event.date
        location = event.location.flatMap { EventPlace($0) }
        margin = event.margin
        beacon = event.beacon.map { BeaconMessage($0) }
        self.metadata = NewCondition.members(of: metadata)
    }
}

extension MonitorState {
    /// Creates the message of a stored monitor.
    ///
    /// - Parameters:
    ///   - process: The process that has it open; nil if none has.
    ///   - unmonitored: The number of its conditions that are not monitored.
    ///   - limit: The maximum number of monitored conditions of its program; nil without a limit.
    ///   - isSaved: Whether events can be saved.
    init(_ stored: StoredMonitor, openIn process: Int32?, unmonitored: Int, limit: Int?, isSaved: Bool) {
        self.init(name: stored.name, program: stored.program)
        self.process = process.map { Int($0) }
        isOpen = process != nil
        conditions = stored.conditions
        pending = stored.pending
        self.unmonitored = unmonitored
        conditionLimit = limit
        persistenceUnavailable = !isSaved
    }

    /// Removes what a program without the full location may not know: whether an event is pending.
    mutating func withhold(_ flags: PermissionFlags) {
        permission = flags
        pending = 0
    }
}
