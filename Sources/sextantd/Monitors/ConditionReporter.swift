import Chronology
import Delivery
import Geodesy
import Geofencing
import Locator
import Positioning
import Store
import Wire

/// Combines the stored data of conditions with their current states and distances in the core.
struct ConditionReporter {
    /// The age from which a position no longer counts as current. While stationary, check fixes are
    /// five minutes apart.
    private static let maxPositionAge = Instant.Span.seconds(330)

    /// A current position.
    private struct Position {
        var coordinate: Coordinate
        /// The R68 in metres.
        var radius: Double
        var message: PlaceMessage
    }

    private let core: Core
    private let registry: MonitorRegistry

    init(core: Core, registry: MonitorRegistry) {
        self.core = core
        self.registry = registry
    }

    /// Returns the complete record of a condition: its stored data and its current state.
    func message(of record: ConditionRecord, of key: MonitorKey, at now: Instant) -> RecordMessage {
        var message = RecordMessage(record)
        message.persistenceUnavailable = registry.trouble != nil
        if record.snapshot.state != .unmonitored, registry.exceedsLimit(record.ordinal, of: key.owner) {
            message.state = .unmonitored
            message.conditionLimitExceeded = true
            return message
        }
        let fences = core.locator.fences
        guard let state = fences.state(of: record.id) else { return message }
        if state != message.state {
            message.state = state
            message.since = nil
        }
        if let seen = fences.lastEvaluation {
            message.evaluated = HostTime.now.advanced(by: seen - now).description
        }
        guard let position = position(at: now) else { return message }
        if let near = fences.distance(of: record.id, to: position.coordinate) {
            message.distance = near.margin.rounded(to: 1000)
        }
        message.radiusTooSmall = record.added.condition.shape.isTooSmall(forAccuracy: position.radius)
        return message
    }

    /// Returns the conditions nearest to the current position.
    ///
    /// - Parameter name: The name of the monitor; `nil` for all monitors of the owner.
    func neighbours(
        of key: MonitorKey, named name: String?, _ count: Int, at now: Instant
    ) throws(MonitorError) -> NearestReply {
        if name != nil { _ = try registry.existing(key, at: now) }
        guard let position = position(at: now), let store = try registry.store(at: now) else { return NearestReply() }
        // Conditions of other programs may be nearer, so the search widens until enough are found.
        var searched = 0
        var found: [NeighbourMessage] = []
        var wanted = 4 * count
        while found.count < count {
            let near = core.locator.fences.nearest(to: position.coordinate, count: wanted)
            for candidate in near.dropFirst(searched) where found.count < count {
                if let neighbour = try neighbour(candidate, of: key, named: name, in: store, at: now) {
                    found.append(neighbour)
                }
            }
            if near.count < wanted { break }
            searched = near.count
            wanted *= 8
        }
        return NearestReply(location: position.message, neighbours: found)
    }

    private func neighbour(
        _ near: GeofenceEngine.ConditionDistance, of key: MonitorKey, named name: String?, in store: MonitorStore,
        at now: Instant
    ) throws(MonitorError) -> NeighbourMessage? {
        try registry.performOnStore(at: now) { () throws(StoreError) -> NeighbourMessage? in
            guard let found = try store.name(of: near.condition), let owner = try registry.key(of: found.monitor)
            else { return nil }
            guard owner.owner == key.owner, name == nil || owner.name == name else { return nil }
            guard let record = try store.record(for: found.identifier, of: found.monitor) else { return nil }
            return NeighbourMessage(
                monitor: owner.name, condition: record.added.message, state: near.state, distance: near.margin)
        }
    }

    private func position(at now: Instant) -> Position? {
        guard let last = core.locator.position(at: now), now - last.at <= ConditionReporter.maxPositionAge else {
            return nil
        }
        let fix = last.location.fix
        guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy,
            let message = PlaceMessage(fix, receiver: last.location.receiver)
        else { return nil }
        return Position(coordinate: coordinate, radius: radius, message: message)
    }
}

extension Double {
    /// Rounds to multiples of 1/`parts`.
    fileprivate func rounded(to parts: Double) -> Double { (self * parts).rounded() / parts }
}
