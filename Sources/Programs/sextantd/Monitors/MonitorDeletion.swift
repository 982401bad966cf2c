import Chronology
import Geofencing
import SQLite
import SextantAPI
import StateStore

/// The removal of the conditions of deleted monitors, in parts.
struct MonitorDeletion {
    /// The number of conditions that are removed at a time.
    private static let removedAtOnce = 128
    /// The time after which a failed removal is repeated.
    private static let retryInterval = Instant.Span.seconds(30)

    /// When the next part is removed; `nil` if nothing is left.
    private(set) var next: Instant?

    /// Begins or continues the removal at an instant, if there is anything to remove.
    mutating func begin(at instant: Instant?) { next = instant }

    /// Removes the next part if it is due, and returns the conditions that were removed.
    mutating func tick(in database: MonitorDatabase, at now: Instant) -> [ConditionID] {
        guard let next, max(next, database.nextWrite) <= now else { return [] }
        guard let store = database.openStore else {
            // A database that is opened again after a device error continues where it was.
            self.next = database.trouble == nil ? nil : now + MonitorDeletion.retryInterval
            return []
        }
        var gone: [ConditionID]?
        do throws(MonitorError) {
            try database.beginBatch(at: now)
            gone = try database.perform(at: now) { () throws(StoreError) in
                try store.continueDeletion(limit: MonitorDeletion.removedAtOnce)
            }
        } catch {}
        if database.finishBatch(at: now), let gone {
            self.next = gone.count < MonitorDeletion.removedAtOnce ? nil : now
        } else {
            self.next = now + MonitorDeletion.retryInterval
        }
        return gone ?? []
    }
}
