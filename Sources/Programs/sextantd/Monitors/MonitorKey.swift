import Permission
import SQLite
import StateStore

/// Identifies a monitor by its owner and the owner's name for it.
struct MonitorKey: Hashable {
    var owner: ProgramID
    var name: String
}

/// The keys of monitors in the store, read once each.
struct MonitorKeys {
    private var keys: [MonitorID: MonitorKey] = [:]

    /// Returns the key of a monitor, or `nil` if the monitor no longer exists.
    mutating func key(of monitor: MonitorID, in store: MonitorStore) throws(StoreError) -> MonitorKey? {
        if let key = keys[monitor] { return key }
        guard let stored = try store.description(of: monitor), let owner = ProgramID(stored: stored.program) else {
            return nil
        }
        keys[monitor] = MonitorKey(owner: owner, name: stored.name)
        return keys[monitor]
    }

    /// Forgets a monitor that was deleted.
    mutating func remove(_ monitor: MonitorID) { keys[monitor] = nil }
}
