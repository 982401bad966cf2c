import Chronology
import Logging
import Permission
import Store
import SystemCalls
import Wire

/// Keeps a file for each monitor with an event that waits while no client has it open, so that the
/// system's manager starts the program that owns it.
///
/// An event waits if it is on disk and the program may know it.
final class MonitorWaking {
    private let registry: MonitorRegistry
    /// Returns whether the program of a monitor may know its events.
    private let mayWake: (MonitorKey) -> Bool
    private var files: WakeFiles
    private var log: Logger
    private var hasLoggedError = false

    init(_ registry: MonitorRegistry, socket: String, log: Logger, mayWake: @escaping (MonitorKey) -> Bool) {
        self.registry = registry
        self.mayWake = mayWake
        self.log = log
        files = WakeFiles(besideSocket: socket)
    }

    /// Updates the files of the monitors that have changed since the last call.
    func update(at now: Instant) {
        let changed = registry.takeTouched()
        guard changed.isAll || !changed.keys.isEmpty else { return }
        do throws(SystemError) {
            if changed.isAll {
                try files.replace(with: Set(registry.waitingMonitors(at: now).filter(mayWake).compactMap { .init($0) }))
            } else {
                for key in changed.keys {
                    guard let name = WakeFiles.Name(key) else { continue }
                    try files.set(name, waits: registry.hasWaitingEvent(key, at: now) && mayWake(key))
                }
            }
            hasLoggedError = false
        } catch {
            if !hasLoggedError { log.warning("cannot wake the programs of waiting events: \(error)") }
            hasLoggedError = true
            registry.touched.isAll = true
        }
    }
}

/// The monitors whose events or clients have changed.
struct TouchedMonitors {
    /// Whether any monitor may have changed.
    var isAll = true
    /// Those that have changed.
    var keys: Set<MonitorKey> = []
}

extension MonitorRegistry {
    /// Removes and returns the monitors whose events or clients have changed.
    func takeTouched() -> TouchedMonitors {
        defer { touched = TouchedMonitors(isAll: false) }
        return touched
    }

    /// Returns whether a monitor has an event on disk while no client has it open.
    func hasWaitingEvent(_ key: MonitorKey, at now: Instant) -> Bool {
        guard subscriptions[key] == nil, let store = database.openStore else { return false }
        let waits = try? database.perform(at: now) { () throws(StoreError) in
            guard let monitor = try store.monitor(key.name, of: key.owner.description) else { return false }
            return try store.events.hasPending(of: monitor)
        }
        return waits ?? false
    }

    /// Returns the monitors with an event on disk that no client has open.
    func waitingMonitors(at now: Instant) -> [MonitorKey] {
        guard let store = database.openStore else { return [] }
        let keys = try? database.perform(at: now) { () throws(StoreError) in
            try store.events.monitorsWithPending().compactMap { found in
                ProgramID(stored: found.program).map { MonitorKey(owner: $0, name: found.name) }
            }
        }
        return (keys ?? []).filter { subscriptions[$0] == nil }
    }
}
