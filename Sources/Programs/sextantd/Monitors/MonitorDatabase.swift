import Chronology
import Geofencing
import Glibc
import Logging
import SQLite
import ServiceRuntime
import SextantAPI
import StateStore
import SystemCalls

/// The owner of the database of the monitors.
protocol MonitorDatabaseDelegate: AnyObject {
    /// The database was opened for the first time, or an empty one in its place.
    func opened(_ store: MonitorStore) throws(StoreError)

    /// The same database was opened again after a device error. Its events that wait in memory are
    /// written afterwards.
    func resumed(_ store: MonitorStore, _ ledger: EventLedger) throws(StoreError)

    /// The monitors no longer exist.
    func lost()

    /// The value of ``MonitorDatabase/trouble`` has begun or ended.
    func troubleChanged()
}

/// The database of the monitors while the daemon runs: it is opened when it is first needed, errors
/// are reported, and a database that has failed is opened again.
///
/// The database is opened if it exists or a client creates a monitor; a daemon without monitors has
/// none. An error is logged once when it begins and once when it ends. Events that cannot be
/// written are held in memory (``EventLedger``).
///
/// - A device error closes the database, and it is opened again later. Held events are then
///   written.
/// - A database in which damage is found is closed too. The next opening checks it, and renames it
///   only if the damage is found again. Otherwise it is used again.
/// - A database that cannot be written when it is opened is read, so that its conditions are
///   monitored, and opened again later.
/// - A database whose file was moved, replaced or deleted is closed, because a restart would not
///   find what is written to it. The next opening uses the file that is there, or creates one.
final class MonitorDatabase {
    /// The time after which a failed opening of the database is retried.
    private static let retryInterval = Instant.Span.seconds(30)

    private let log: Logger
    private let file: StateDatabase
    private weak var delegate: (any MonitorDatabaseDelegate)?
    private var store: MonitorStore?
    /// The events that wait for the disk. It outlives a database that is closed because of a device
    /// error.
    private var ledger: EventLedger?
    /// The file that was opened last.
    private var identity: FileIdentity?
    /// When changes of calls may be written again.
    private(set) var nextWrite = Instant.zero
    /// When the log is copied into the file again after a failure.
    private var nextCheckpoint = Instant.zero
    private var lastDamage: Instant?
    /// Why the database is closed or can only be read, and when to retry.
    private var closed: (reason: StoreError, retry: Instant)?
    /// Whether the open store can only be read.
    private var isReadOnly = false
    /// Whether the database was closed before the changes of a turn's calls were on disk.
    private var isBatchLost = false
    /// The errors last written to the log, of events and of calls.
    private var reportedTrouble: StoreError.Kind?
    private var reportedCallError: StoreError.Kind?
    private var reportedDropCount = 0
    /// When the next conditions of deleted monitors are removed; `nil` if none are left.
    private var nextDeletion: Instant?

    init(_ file: StateDatabase, log: Logger, delegate: any MonitorDatabaseDelegate) {
        self.file = file
        self.log = log
        self.delegate = delegate
    }

    /// Whether the database was closed because of an error.
    var isClosed: Bool { store == nil && closed != nil }

    /// Whether the states in the database are older than those in the core.
    var holdsEvents: Bool { ledger?.bufferedCount ?? 0 > 0 }

    /// The open database, if it is open.
    var openStore: MonitorStore? { store }

    /// Returns the store, opened if necessary, or `nil` if the database does not exist.
    func open(at now: Instant) throws(MonitorError) -> MonitorStore? {
        if let store { return store }
        guard closed != nil || access(file.file.path, F_OK) == 0 else { return nil }
        do throws(MonitorError) { return try openOrCreate(at: now) } catch {
            guard let store else { throw error }
            return store
        }
    }

    /// Returns the store and creates the database if it does not exist.
    func openOrCreate(at now: Instant) throws(MonitorError) -> MonitorStore {
        if let store, !isReadOnly { return store }
        if let closed, now < closed.retry { throw unavailable(closed.reason) }
        do throws(StoreError) {
            let movedAside = file.movedAsideCount
            let opened = MonitorStore(try file.open(at: HostClock.utc))
            let openedFile = FileIdentity(path: file.file.path)
            let isSame = file.movedAsideCount == movedAside && openedFile == identity
            identity = openedFile
            if isSame, let ledger {
                try delegate?.resumed(opened, ledger)
                ledger.resume(on: opened.events)
            } else {
                reset()
                try delegate?.opened(opened)
                ledger = EventLedger(opened.events)
            }
            store = opened
            isReadOnly = false
            closed = nil
            reportTrouble()
            return opened
        } catch {
            closed = (error, now + MonitorDatabase.retryInterval)
            if !isReadOnly { store = nil }
            if ledger == nil, error.kind == .unwritable, access(file.file.path, R_OK) == 0 { openReadOnly() }
            ledger?.suspend(because: error, until: now + MonitorDatabase.retryInterval)
            reportTrouble()
            throw unavailable(error)
        }
    }

    /// Opens a database that cannot be written for reading, so that its conditions are monitored.
    private func openReadOnly() {
        do throws(StoreError) {
            let opened = MonitorStore(try file.openReadOnly())
            identity = FileIdentity(path: file.file.path)
            try delegate?.opened(opened)
            ledger = EventLedger(opened.events)
            store = opened
            isReadOnly = true
        } catch {
            log.error("\(error)")
        }
    }

    /// Closes a database without monitors, which only contains energy use.
    func closeUnused() {
        store = nil
        isReadOnly = false
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
        return finishWrite(ledger.append(new, snapshots: snapshots, recorded: HostClock.utc, at: now), at: now)
    }

    /// The next instant for ``tick(at:)``; `nil` if nothing is left to do.
    var deadline: Instant? {
        let deletion = nextDeletion.map { max($0, nextWrite) }
        if let closed { return earliest(closed.retry, deletion) }
        let checkpoint = store?.database.needsCheckpoint == true ? max(nextWrite, nextCheckpoint) : nil
        return earliest(earliest(ledger?.deadline, checkpoint), deletion)
    }

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
        if now >= max(nextWrite, nextCheckpoint), let database = store?.database, database.needsCheckpoint {
            let isDone = pausing(at: now) { () throws(StoreError) in try database.checkpoint() }
            // A full disk refuses at once, and would be asked in each turn.
            if !isDone { nextCheckpoint = now + EventLedger.reopenInterval }
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
        if store != nil, !isReadOnly { _ = ledger?.retry(at: now) }
        reportTrouble()
    }

    /// Begins to collect the changes of a turn's calls, which ``saveCalls(at:)`` writes to disk
    /// together. Every call that may change the store begins with this.
    func beginBatch(at now: Instant) throws(MonitorError) {
        if isReadOnly { _ = try openOrCreate(at: now) }
        guard let store else { return }
        try perform(at: now) { () throws(StoreError) in try store.database.beginBatch() }
    }

    /// Writes the changes of a turn's calls to disk. Returns `false` if that is uncertain.
    func saveCalls(at now: Instant) -> Bool {
        // An earlier batch of the turn was finished for a change of another kind.
        let failure = store?.database.takeBatchFailure()
        if let failure { handle(failure, at: now) }
        let isUncertain = failure != nil || isBatchLost
        isBatchLost = false
        // A later call of the turn may have opened the database again and begun another batch.
        guard let store, store.database.isInBatch else { return !isUncertain }
        let isDone = pausing(at: now) { () throws(StoreError) in try store.database.finishBatch() }
        return store.database.takeBatchFailure() == nil && isDone && !isUncertain
    }

    /// The number of conditions of deleted monitors that are removed at a time.
    private static let removedAtOnce = 128

    /// Begins the removal of the conditions of deleted monitors; `nil` if there are none.
    func beginDeletion(at instant: Instant?) { nextDeletion = instant }

    /// Removes the next conditions of deleted monitors if that is due, and returns them.
    func continueDeletion(at now: Instant) -> [ConditionID] {
        guard let next = nextDeletion, max(next, nextWrite) <= now else { return [] }
        nextDeletion = now + MonitorDatabase.retryInterval
        guard let store else {
            // A database that is opened again after a device error continues where it was.
            if trouble == nil { nextDeletion = nil }
            return []
        }
        var gone: [ConditionID]?
        do throws(MonitorError) {
            try beginBatch(at: now)
            gone = try perform(at: now) { () throws(StoreError) in
                try store.continueDeletion(limit: MonitorDatabase.removedAtOnce)
            }
        } catch {}
        if saveCalls(at: now), let gone { nextDeletion = gone.count < MonitorDatabase.removedAtOnce ? nil : now }
        return gone ?? []
    }

    /// The duration of a write from which a pause follows.
    private static let minPause = Instant.Span.milliseconds(2)
    /// The maximum duration of a pause.
    private static let maxPause = Instant.Span.milliseconds(100)

    /// Performs work that waits for the disk, and lets a pause of the same duration follow. Calls
    /// thus use at most half of the time for writing, however slow the disk is, and the rest is
    /// left to receivers and other clients. Returns whether the work has succeeded.
    private func pausing(at now: Instant, _ work: () throws(StoreError) -> Void) -> Bool {
        let began = HostClock.now
        var isDone = true
        do throws(StoreError) { try work() } catch {
            handle(error, at: now)
            isDone = false
        }
        let end = HostClock.now
        if let pause = MonitorDatabase.pause(after: end - began) { nextWrite = end + pause }
        return isDone && isInPlace(at: now)
    }

    /// Returns the pause after work that waited this long for the disk; `nil` for none.
    static func pause(after duration: Instant.Span) -> Instant.Span? {
        duration < minPause ? nil : min(duration, maxPause)
    }

    /// Returns whether the open file still has its name, and closes the database if not.
    private func isInPlace(at now: Instant) -> Bool {
        guard let store, FileIdentity(path: file.file.path) != identity else { return true }
        if store.database.isInBatch { isBatchLost = true }
        discard(
            because: StoreError(
                "writing to \(file.file.path)", reason: "the file was moved, replaced or deleted while it was open",
                code: StoreError.damagedFile), at: now)
        return false
    }

    private func finishWrite(_ monitors: Set<MonitorID>, at now: Instant) -> Set<MonitorID> {
        if let error = ledger?.writeError, closed == nil, error.kind == .damaged || error.kind == .device {
            handle(error, at: now)
        } else {
            reportTrouble()
        }
        return monitors.isEmpty || isInPlace(at: now) ? monitors : []
    }
}

// MARK: Errors
extension MonitorDatabase {
    /// Why events cannot be written; `nil` if they can.
    var trouble: StoreError? { ledger?.writeError ?? closed?.reason }

    private func handle(_ error: StoreError, at now: Instant) {
        let isInBatch = store?.database.isInBatch ?? false
        defer { if isInBatch, store == nil { isBatchLost = true } }
        switch error.kind {
        case .damaged:
            // At once, because a damaged database serves nobody. But a check that finds no damage
            // is not repeated all the time.
            let isRepeated = lastDamage.map { now - $0 < EventLedger.reopenInterval } ?? false
            lastDamage = now
            suspend(because: error, until: isRepeated ? now + EventLedger.reopenInterval : now)
        case .device: suspend(because: error, until: now + EventLedger.reopenInterval)
        case .full, .unwritable, .busy, .newer, .refused:
            if reportedCallError != error.kind { log.error("\(error); \(error.remedy)") }
            reportedCallError = error.kind
        }
    }

    /// Closes a database whose file has lost its name. The next call that needs it, or the next
    /// tick, opens the file that is there now, or creates one.
    private func discard(because error: StoreError, at now: Instant) {
        log.critical("\(error)")
        let held = ledger?.bufferedCount ?? 0
        if held > 0 { log.error("lost \(held) monitor events that were not written: their conditions are lost") }
        store = nil
        isReadOnly = false
        ledger = nil
        closed = (error, now)
        delegate?.lost()
    }

    /// Closes a database until it is opened again. Its conditions are still monitored, and events
    /// are held in memory.
    private func suspend(because error: StoreError, until retry: Instant) {
        store = nil
        isReadOnly = false
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
        delegate?.lost()
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
        file.trouble = trouble
        guard trouble?.kind != reportedTrouble else { return }
        reportedTrouble = trouble?.kind
        if let trouble {
            let consequence =
                ledger == nil
                ? "The conditions of all programs are not monitored until then"
                : "Monitoring continues; events are buffered in memory"
            log.error("cannot write monitor events (\(trouble)); \(trouble.remedy). \(consequence)")
        } else {
            reportedCallError = nil
            log.notice("writing monitor events works again; no events are buffered in memory")
        }
        delegate?.troubleChanged()
    }
}
