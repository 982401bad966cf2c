import Chronology
import Logging
import Permission
import SQLite
import SextantAPI
import StateStore
import SystemCalls

/// Keeps a file for each monitor with an event that waits while no client has it open, so that the
/// system's manager starts the program that owns it.
///
/// An event waits if it is on disk and the program may know it.
final class MonitorWaking {
    private let registry: MonitorRegistry
    /// Returns whether the program of a monitor may know its events.
    private let mayWake: (MonitorKey) -> Bool
    private var files: WakeFiles
    private let log: Logger
    /// When files that could not be made or removed are tried again; nil after success.
    private(set) var deadline: Instant?
    private var backoff = ExponentialBackoff()

    init(_ registry: MonitorRegistry, socket: String, log: Logger, mayWake: @escaping (MonitorKey) -> Bool) {
        self.registry = registry
        self.mayWake = mayWake
        self.log = log
        files = WakeFiles(besideSocket: socket)
    }

    /// Updates the files of the monitors that have changed since the last call, or of all after an
    /// error.
    func update(at now: Instant) {
        var changed = registry.takeChangedMonitors()
        if let deadline, deadline <= now { changed.isAll = true }
        guard changed.isAll || !changed.keys.isEmpty else { return }
        let failure = changed.isAll ? updateAll(at: now) : update(changed.keys, at: now)
        if let failure {
            if backoff == ExponentialBackoff() { log.warning("cannot wake the programs of waiting events: \(failure)") }
            guard changed.isAll || deadline == nil else { return }
            deadline = now + backoff.next(from: .seconds(10), max: .seconds(600))
        } else if changed.isAll {
            deadline = nil
            backoff.reset()
        }
    }

    private func updateAll(at now: Instant) -> (any Error)? {
        do {
            let names = try MonitorReader(registry).waitingMonitors(at: now).filter(mayWake).compactMap {
                WakeFiles.Name($0)
            }
            try files.replace(with: Set(names))
        } catch { return error }
        return nil
    }

    /// Updates the files of these monitors and returns the first error. One monitor's does not
    /// affect the others.
    private func update(_ keys: Set<MonitorKey>, at now: Instant) -> (any Error)? {
        var failure: (any Error)?
        for key in keys {
            guard let name = WakeFiles.Name(key) else { continue }
            do {
                try files.set(name, waits: try MonitorReader(registry).hasWaitingEvent(key, at: now) && mayWake(key))
            } catch {
                failure = failure ?? error
            }
        }
        return failure
    }
}

/// The monitors whose events or clients have changed.
struct ChangedMonitors {
    /// Whether any monitor may have changed.
    var isAll = true
    /// Those that have changed.
    var keys: Set<MonitorKey> = []
}

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
