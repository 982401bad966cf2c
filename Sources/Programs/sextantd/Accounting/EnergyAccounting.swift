import Chronology
import Glibc
import Logging
import Receivers
import SQLite
import ServiceRuntime
import StateStore
import SystemCalls

/// The energy use of receivers and its consumers. It needs no timer: existing turns update it, and
/// the time between two updates is one interval.
final class EnergyAccounting {
    /// The revisions of the inputs outside this type.
    struct Revisions: Equatable {
        /// The core's revision of the demands.
        var demands: UInt64
        /// The revision of the receivers' power states.
        var receivers: UInt64
    }

    /// The minimum interval between writes of the energy usage, because each write wears the flash
    /// memory.
    private static let minSaveInterval = Instant.Span.seconds(3600)
    /// The longest interval between writes. A host's clock that was set delays the next write: it
    /// may be corrected meanwhile, and stored days stay as they are.
    private static let maxSaveInterval = Instant.Span.seconds(86_400)
    /// How long stored usage read for a report stays cached. Any client may request reports at any
    /// rate.
    private static let cacheLifetime = Instant.Span.seconds(60)

    private let store: EnergyStore
    private let memory: MemoryTrimmer
    private let log: Logger
    private var accumulator: EnergyAccumulator
    /// The revisions at the last update.
    private var revisions = Revisions(demands: 0, receivers: 0)
    private var lastSaved: Instant
    private var hasLoggedSaveError = false
    /// The stored usage, cached for a while after a report.
    private var cachedHistory: (history: EnergyHistory, at: Instant)?

    init(store: EnergyStore, memory: MemoryTrimmer, log: Logger, at now: Instant) {
        self.store = store
        self.memory = memory
        self.log = log
        accumulator = EnergyAccumulator(at: now)
        lastSaved = now
    }
}

// MARK: Accounts
extension EnergyAccounting {
    /// Returns whether an input changed since the last update.
    func isOutdated(_ revisions: Revisions) -> Bool { self.revisions != revisions }

    /// Starts an update: inputs that change from now on belong to the next one.
    func beginUpdate(_ revisions: Revisions) { self.revisions = revisions }

    /// Updates the accounts to `now`.
    ///
    /// - Parameter includingUnchanged: Whether receivers whose state is unchanged are included.
    func update(
        _ samples: [ReceiverPowerSample], wakeups: UInt64, at now: Instant, includingUnchanged: Bool
    ) {
        accumulator.update(samples, wakeups: wakeups, at: now, date: HostClock.plausibleUTC, all: includingUnchanged)
    }

    var samples: [ReceiverPowerSample] { accumulator.samples }

    func stateBegan(of receiver: String) -> Instant? { accumulator.since(receiver) }

    /// The energy use since the daemon started.
    var total: EnergyUse { accumulator.total }
}

// MARK: Storage
extension EnergyAccounting {
    func isSaveDue(at now: Instant) -> Bool {
        let began = max(lastSaved, accumulator.clockSetAt ?? lastSaved)
        return now - began >= EnergyAccounting.minSaveInterval || now - lastSaved >= EnergyAccounting.maxSaveInterval
    }

    /// Discards stored usage that was cached for too long.
    func discardOldCache(at now: Instant) {
        if let cachedHistory, now - cachedHistory.at > EnergyAccounting.cacheLifetime { self.cachedHistory = nil }
    }

    /// Saves the energy used since the last save. Does nothing if there is none.
    func save(at now: Instant) {
        lastSaved = now
        guard !accumulator.unsaved.isEmpty else { return }
        do {
            try store.add(accumulator.unsaved)
            accumulator.markSaved()
            cachedHistory = nil
            hasLoggedSaveError = false
        } catch {
            if !hasLoggedSaveError { log.warning("cannot save energy usage: \(error)") }
            hasLoggedSaveError = true
        }
        memory.requestTrim()
    }

    /// Returns the usage by day, stored and unsaved.
    func history(at now: Instant) -> EnergyHistory {
        var history = storedHistory(at: now)
        history.add(accumulator.unsaved)
        return history
    }

    /// Returns the stored usage. The database is read at most once per minute, because any client
    /// may request it.
    private func storedHistory(at now: Instant) -> EnergyHistory {
        if let cachedHistory { return cachedHistory.history }
        var history = EnergyHistory()
        do {
            history = try store.history()
        } catch {
            log.warning("cannot read the energy usage of earlier days: \(error)")
        }
        cachedHistory = (history, now)
        memory.requestTrim()
        return history
    }
}

/// Stores the energy usage. The database is opened for each access and closed afterwards unless
/// another part of the daemon uses it.
struct EnergyStore {
    private let database: StateDatabase

    init(_ database: StateDatabase) { self.database = database }

    /// Returns the usage of all stored days.
    func history() throws -> EnergyHistory {
        // A read must not create the database.
        guard access(database.file.path, F_OK) == 0 else { return EnergyHistory() }
        return EnergyHistory(try database.open(at: HostClock.utc).usage(of: 0...Int(Int32.max)))
    }

    /// Adds usage to the stored days and deletes the oldest days beyond the retention period.
    func add(_ spent: EnergyHistory) throws {
        let days = spent.days.keys.map(\.daysSince1970)
        guard let first = days.min(), let last = days.max() else { return }
        let open = try database.open(at: HostClock.utc)
        var history = EnergyHistory(try open.usage(of: first...last))
        history.add(spent)
        let rows = history.rows(of: spent.days.keys)
        try open.replaceUsage(with: rows, keepingDays: EnergyHistory.capacity)
    }
}
