import Chronology
import Geofencing
import Glibc
import Logging
import Store
import Wire

/// The database of the monitors while the daemon runs: it is opened when it is first needed, errors
/// are reported, and a database that has failed is opened again.
///
/// The database is opened if it exists or a client creates a monitor; a daemon without monitors has
/// none. An error is logged once when it begins and once when it ends. Events that cannot be
/// written are held in memory (``EventLedger``).
///
/// - A device error closes the database, and it is opened again later. Held events are then
///   written.
/// - A database that is found to be damaged is closed; the next opening renames its file.
final class MonitorDatabase {
    /// Callbacks for changes of the database.
    struct Events {
        /// The database was opened for the first time, or an empty one in its place.
        var opened: (MonitorStore) throws(StoreError) -> Void
        /// The monitors no longer exist.
        var lost: () -> Void
        /// The value of ``MonitorDatabase/trouble`` has begun or ended.
        var troubleChanged: () -> Void
    }

    /// The time after which a failed opening of the database is retried.
    private static let retryInterval = Instant.Span.seconds(30)

    var log: Logger
    private let file: StateDatabase
    private let events: Events
    private var store: MonitorStore?
    /// The events that wait for the disk. It outlives a database that is closed because of a device
    /// error.
    private var ledger: EventLedger?
    /// Why the database is closed, and when to retry.
    private var closed: (reason: StoreError, retry: Instant)?
    /// The errors last written to the log, of events and of calls.
    private var reportedTrouble: StoreError.Kind?
    private var reportedCallError: StoreError.Kind?
    private var reportedDropCount = 0

    init(_ file: StateDatabase, log: Logger, events: Events) {
        self.file = file
        self.log = log
        self.events = events
    }

    /// Whether the database is open.
    var openStore: MonitorStore? { store }

    /// Returns the store, opened if necessary, or `nil` if the database does not exist.
    func open(at now: Instant) throws(MonitorError) -> MonitorStore? {
        if let store { return store }
        guard closed != nil || access(file.file.path, F_OK) == 0 else { return nil }
        return try openOrCreate(at: now)
    }

    /// Returns the store and creates the database if it does not exist.
    func openOrCreate(at now: Instant) throws(MonitorError) -> MonitorStore {
        if let store { return store }
        if let closed, now < closed.retry { throw unavailable(closed.reason) }
        do throws(StoreError) {
            let movedAside = file.movedAsideCount
            let opened = MonitorStore(try file.open(at: HostTime.now))
            let isSame = ledger != nil && file.movedAsideCount == movedAside
            if isSame {
                ledger?.resume(on: opened.events)
            } else {
                reset()
                ledger = EventLedger(opened.events)
                try events.opened(opened)
            }
            store = opened
            closed = nil
            reportTrouble()
            return opened
        } catch {
            store = nil
            closed = (error, now + MonitorDatabase.retryInterval)
            ledger?.suspend(because: error, until: now + MonitorDatabase.retryInterval)
            reportTrouble()
            throw unavailable(error)
        }
    }

    /// Closes a database without monitors, which only contains energy use.
    func closeUnused() {
        store = nil
        ledger = nil
    }

    /// Performs an operation on the store and converts its error to one for the client.
    func perform<R>(at now: Instant, _ work: () throws(StoreError) -> R) throws(MonitorError) -> R {
        do throws(StoreError) { return try work() } catch {
            handle(error, at: now)
            throw unavailable(error)
        }
    }

    private func unavailable(_ error: StoreError) -> MonitorError {
        .persistenceUnavailable(reason: "\(error); \(error.remedy)")
    }
}

// MARK: Writing
extension MonitorDatabase {
    /// Records events, and states that changed without an event. Returns the monitors with new
    /// events on disk.
    func append(
        _ new: [ConditionEvent], snapshots: [(ConditionID, StoredConditionState)], at now: Instant
    ) -> Set<MonitorID> {
        guard let ledger else { return [] }
        return finishWrite(ledger.append(new, snapshots: snapshots, recorded: HostTime.now, at: now), at: now)
    }

    /// The next instant for ``tick(at:)``; `nil` if nothing is left to do.
    var deadline: Instant? { closed.map { $0.retry } ?? ledger?.deadline }

    /// Retries failed operations. Returns the monitors with new events on disk.
    func tick(at now: Instant) -> Set<MonitorID> {
        if let closed, closed.retry <= now {
            guard ledger != nil || access(file.file.path, F_OK) == 0 else {
                self.closed = nil
                reportTrouble()
                return []
            }
            guard (try? openOrCreate(at: now)) != nil, let ledger else { return [] }
            return finishWrite(ledger.retry(at: now), at: now)
        }
        guard closed == nil, let ledger, let deadline = ledger.deadline, deadline <= now else { return [] }
        return finishWrite(ledger.retry(at: now), at: now)
    }

    /// Writes the events held in memory, as a last attempt.
    func finish(at now: Instant) {
        if closed != nil, ledger?.bufferedCount ?? 0 > 0 {
            closed?.retry = now
            _ = try? openOrCreate(at: now)
        }
        if store != nil { _ = ledger?.retry(at: now) }
        reportTrouble()
    }

    /// Begins to collect the changes of a turn's calls, which ``finishBatch(at:)`` writes to disk
    /// together. Every call that may change the store begins with this.
    func beginBatch(at now: Instant) throws(MonitorError) {
        guard let store else { return }
        try perform(at: now) { () throws(StoreError) in try store.database.beginBatch() }
    }

    /// Writes the changes of a turn's calls to disk. Returns `false` if that is uncertain.
    func finishBatch(at now: Instant) -> Bool {
        guard let store else { return true }
        do throws(StoreError) {
            try store.database.finishBatch()
            return true
        } catch {
            handle(error, at: now)
            return false
        }
    }

    private func finishWrite(_ monitors: Set<MonitorID>, at now: Instant) -> Set<MonitorID> {
        if let error = ledger?.writeError, closed == nil, error.kind == .damaged || error.kind == .device {
            handle(error, at: now)
        } else {
            reportTrouble()
        }
        return monitors
    }
}

// MARK: Errors
extension MonitorDatabase {
    /// Why events cannot be written; `nil` if they can.
    var trouble: StoreError? { ledger?.writeError ?? closed?.reason }

    private func handle(_ error: StoreError, at now: Instant) {
        switch error.kind {
        case .damaged: discard(because: error, at: now)
        case .device: suspend(because: error, at: now)
        case .full, .unwritable, .busy, .newer, .refused:
            if reportedCallError != error.kind { log.error("\(error); \(error.remedy)") }
            reportedCallError = error.kind
        }
    }

    /// Closes a database that was damaged while open. The next tick opens it again and renames the
    /// file; until then its users release it.
    private func discard(because error: StoreError, at now: Instant) {
        log.critical("\(error)")
        let held = ledger?.bufferedCount ?? 0
        if held > 0 { log.error("lost \(held) monitor events that were not written: their conditions are lost") }
        store = nil
        ledger = nil
        closed = (error, now)
        events.lost()
    }

    /// Closes a database whose device has failed. Its conditions are still monitored, and events
    /// are held in memory.
    private func suspend(because error: StoreError, at now: Instant) {
        store = nil
        let retry = now + EventLedger.reopenInterval
        closed = (error, retry)
        ledger?.suspend(because: error, until: retry)
        reportTrouble()
    }

    private func reset() {
        guard let lost = ledger else { return }
        if lost.bufferedCount > 0 {
            log.error("lost \(lost.bufferedCount) monitor events that were not written: their conditions are lost")
        }
        ledger = nil
        events.lost()
    }

    /// Logs the start and the end of a database error once each.
    private func reportTrouble() {
        if let ledger, ledger.droppedCount > reportedDropCount {
            log.error(
                """
                lost \(ledger.droppedCount - reportedDropCount) monitor events: writing failed for too long, and the \
                buffer in memory is full
                """
            )
            reportedDropCount = ledger.droppedCount
        }
        guard trouble?.kind != reportedTrouble else { return }
        reportedTrouble = trouble?.kind
        if let trouble {
            log.error(
                """
                cannot write monitor events (\(trouble)); \(trouble.remedy). Monitoring continues; events are buffered \
                in memory
                """
            )
        } else {
            reportedCallError = nil
            log.notice("writing monitor events works again; no events are buffered in memory")
        }
        events.troubleChanged()
    }
}
