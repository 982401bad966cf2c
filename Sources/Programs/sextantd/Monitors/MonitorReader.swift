import Chronology
import Geodesy
import Geofencing
import Locator
import Permission
import Positioning
import SQLite
import SextantAPI
import StateStore

/// Reads the stored monitors and conditions for replies of limited size, and combines them with
/// their current states and distances in the core.
struct MonitorReader {
    /// The approximate size in bytes at which a page ends. It limits the time of a turn.
    private static let maxPageSize = 32 << 10
    /// The maximum number of monitors in a reply. A user cannot have more, but a database of an
    /// earlier version may contain any number.
    private static let maxListedMonitors = 1000

    /// The age from which a position no longer counts as current. While stationary, check fixes are
    /// five minutes apart.
    private static let maxPositionAge = Instant.Span.seconds(330)

    /// A current position.
    private struct Position {
        var coordinate: Coordinate
        /// The R68 in metres.
        var radius: Double
        var message: EventPlace
    }

    private let registry: MonitorRegistry

    init(_ registry: MonitorRegistry) { self.registry = registry }

    /// Returns a page of conditions, ordered by identifier, that fits a reply.
    func page(_ parameters: PageParameters, of key: MonitorKey, at now: Instant) throws(MonitorError) -> (
        records: [StoredCondition], next: String?
    ) {
        let (store, monitor) = try registry.existing(key, at: now)
        return try registry.database.perform(at: now) { () throws(StoreError) in
            let page = try store.records(
                of: monitor, after: parameters.after, limit: parameters.limit ?? 100,
                maxSize: MonitorReader.maxPageSize, size: \.approximateSize)
            return (page.records, page.hasMore ? page.records.last?.added.identifier : nil)
        }
    }

    /// Returns the stored record of one condition.
    func record(_ identifier: String, of key: MonitorKey, at now: Instant) throws(MonitorError) -> StoredCondition {
        let (store, monitor) = try registry.existing(key, at: now)
        let record = try registry.database.perform(at: now) { () throws(StoreError) in
            try store.record(for: identifier, of: monitor)
        }
        guard let record else { throw .noSuchCondition(identifier: identifier) }
        return record
    }

    /// Returns the monitors of one user's programs, or all monitors for `nil`.
    func monitors(ofUser user: UInt32?, at now: Instant) throws(MonitorError) -> ListMonitorsReply {
        guard let store = try registry.database.open(at: now) else { return ListMonitorsReply(monitors: []) }
        return try registry.database.perform(at: now) { () throws(StoreError) in
            var messages: [MonitorState] = []
            let limit = MonitorReader.maxListedMonitors
            let found = try store.monitors(ofUser: user, limit: limit + 1)
            for stored in found.prefix(limit) {
                guard let owner = ProgramID(stored: stored.program), user.map({ $0 == owner.user }) ?? true else {
                    continue
                }
                let key = MonitorKey(owner: owner, name: stored.name)
                messages.append(try registry.message(of: stored, key: key, in: store))
            }
            return ListMonitorsReply(monitors: messages, isTruncated: found.count > limit ? true : nil)
        }
    }

    /// Returns the conditions of a program that are nearest to a place, or of one of its monitors.
    ///
    /// - Parameter nearest: Returns the nearest of these conditions.
    private func nearest(
        of key: MonitorKey, named name: String?, at now: Instant,
        _ nearest: ([ConditionID]) -> [GeofenceEngine.ConditionDistance]
    ) throws(MonitorError) -> [Neighbour] {
        guard let store = try registry.database.open(at: now) else { return [] }
        return try registry.database.perform(at: now) { () throws(StoreError) in
            var messages: [Neighbour] = []
            for near in nearest(try store.conditions(of: key.owner.description, monitor: name)) {
                guard let added = try store.added(near.condition),
                    let monitor = try registry.key(of: added.monitor, in: store)
                else { continue }
                messages.append(
                    Neighbour(
                        monitor: monitor.name, condition: added.condition.message, state: near.state,
                        distance: near.margin))
            }
            return messages
        }
    }
}

// MARK: Current states
extension MonitorReader {
    /// Returns the complete record of a condition: its stored data and its current state.
    func message(
        of record: StoredCondition, of key: MonitorKey, in core: Locator, at now: Instant
    ) -> ConditionRecord {
        var message = ConditionRecord(record)
        message.persistenceUnavailable = registry.database.trouble != nil
        if record.snapshot.state != .unmonitored, registry.monitored.exceedsLimit(record.ordinal, of: key.owner) {
            message.state = .unmonitored
            message.conditionLimitExceeded = true
            return message
        }
        let fences = core.conditionEngine
        guard let state = core.state(of: record.id) else { return message }
        if state != message.state {
            message.state = state
            message.since = nil
        }
        if let seen = core.lastEvaluation(of: record.id) {
            message.evaluated = HostTime.now.advanced(by: seen - now)
        }
        guard let position = position(in: core, at: now) else { return message }
        if let near = fences.distance(of: record.id, to: position.coordinate) {
            message.distance = near.margin
        }
        message.radiusTooSmall =
            record.added.condition.shape?.isTooSmall(forAccuracy: position.radius) ?? false
        return message
    }

    /// Returns the conditions nearest to the current position. The cost depends on the conditions
    /// of this owner only.
    ///
    /// - Parameter name: The name of the monitor; `nil` for all monitors of the owner.
    func neighbours(
        of key: MonitorKey, named name: String?, count: Int, in core: Locator, at now: Instant
    ) throws(MonitorError) -> Neighbourhood {
        if name != nil { _ = try registry.existing(key, at: now) }
        guard let position = position(in: core, at: now) else { return Neighbourhood(neighbours: []) }
        let neighbours = try nearest(of: key, named: name, at: now) { ids in
            core.conditionEngine.nearest(to: position.coordinate, among: ids, count: count)
        }
        return Neighbourhood(location: position.message, neighbours: neighbours)
    }

    private func position(in core: Locator, at now: Instant) -> Position? {
        guard let last = core.position(at: now), now - last.at <= MonitorReader.maxPositionAge else {
            return nil
        }
        let fix = last.location.fix
        guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy,
            let message = EventPlace(fix, receiver: last.location.receiver)
        else { return nil }
        return Position(coordinate: coordinate, radius: radius, message: message)
    }
}

// MARK: Waiting events
extension MonitorReader {
    /// Returns whether a monitor has an event on disk while no client has it open.
    func hasWaitingEvent(_ key: MonitorKey, at now: Instant) throws(MonitorError) -> Bool {
        guard registry.subscriptions[key] == nil, let store = try readableStore() else { return false }
        return try registry.database.perform(at: now) { () throws(StoreError) in
            guard let monitor = try store.monitor(key.name, of: key.owner.description) else { return false }
            return try store.events.hasPending(of: monitor)
        }
    }

    /// Returns the monitors with an event on disk that no client has open.
    func waitingMonitors(at now: Instant) throws(MonitorError) -> [MonitorKey] {
        guard let store = try readableStore() else { return [] }
        let keys = try registry.database.perform(at: now) { () throws(StoreError) in
            try store.events.monitorsWithPending().compactMap { found in
                ProgramID(stored: found.program).map { MonitorKey(owner: $0, name: found.name) }
            }
        }
        return keys.filter { registry.subscriptions[$0] == nil }
    }

    /// Returns the open store; nil if no monitor exists. While an error keeps it closed, nobody
    /// knows which events wait.
    private func readableStore() throws(MonitorError) -> MonitorStore? {
        let database = registry.database
        guard database.isClosed, let trouble = database.trouble else { return database.openStore }
        throw .persistenceUnavailable(reason: "\(trouble)")
    }
}
