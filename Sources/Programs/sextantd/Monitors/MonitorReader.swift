import Chronology
import Geofencing
import Permission
import SQLite
import SextantAPI
import StateStore

/// Reads the stored monitors and conditions for replies of limited size.
struct MonitorReader {
    /// The approximate size in bytes at which a page ends. It limits the time of a turn.
    private static let maxPageSize = 32 << 10
    /// The maximum number of monitors in a reply. A user cannot have more, but a database of an
    /// earlier version may contain any number.
    private static let maxListedMonitors = 1000

    let registry: MonitorRegistry

    init(_ registry: MonitorRegistry) { self.registry = registry }

    /// Returns a page of conditions, ordered by identifier, that fits a reply.
    func page(_ parameters: PageParameters, of key: MonitorKey, at now: Instant) throws(MonitorError) -> (
        records: [ConditionRecord], next: String?
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
    func record(_ identifier: String, of key: MonitorKey, at now: Instant) throws(MonitorError) -> ConditionRecord {
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
            var messages: [MonitorMessage] = []
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
    func nearest(
        of key: MonitorKey, named name: String?, at now: Instant,
        _ nearest: ([ConditionID]) -> [GeofenceEngine.ConditionDistance]
    ) throws(MonitorError) -> [NeighbourMessage] {
        guard let store = try registry.database.open(at: now) else { return [] }
        return try registry.database.perform(at: now) { () throws(StoreError) in
            var messages: [NeighbourMessage] = []
            for near in nearest(try store.conditions(of: key.owner.description, monitor: name)) {
                guard let added = try store.added(near.condition),
                    let monitor = try registry.key(of: added.monitor, in: store)
                else { continue }
                messages.append(
                    NeighbourMessage(
                        monitor: monitor.name, condition: added.condition.message, state: near.state,
                        distance: near.margin))
            }
            return messages
        }
    }
}
