import Chronology
import Geofencing
import Glibc
import Logging
import Store
import Wire

/// The monitors of all programs: what is kept of them, who has them open, and which of their conditions the core watches.
///
/// The database is opened when there is one or somebody makes a monitor; a daemon without monitors has none. What goes wrong with it is said
/// once when it begins and once when it is over. What the core has to do is left in ``changes``.
final class MonitorRegister {
    /// A database that could not be opened is tried again after this long.
    private static let patience = Instant.Span.seconds(30)

    var log: Logger
    var limits: MonitorLimits
    /// What the core has to do, until it is taken.
    var changes = WatchChanges()
    var openings: [MonitorKey: Opening] = [:]
    /// Open monitors that may have something to tell.
    var news: Set<MonitorKey> = []
    /// Of each program, the last condition that is watched: those that were added before it are too.
    var horizons: [MonitorOwner: ConditionID] = [:]
    private(set) var ledger: EventLedger?
    /// Why the database could not be opened, and when that is tried again.
    private var closed: (reason: StoreError, retry: Instant)?
    /// What the journal has been told last.
    private var told: StoreError.Trouble?
    private var toldLost = 0
    private let database: StateDatabase
    private var keys: [MonitorID: MonitorKey] = [:]

    init(database: StateDatabase, limits: MonitorLimits, log: Logger) {
        (self.database, self.limits, self.log) = (database, limits, log)
    }

    /// Loads what earlier runs have left, if anything.
    func start(at now: Instant) {
        _ = try? store(at: now)
    }

    /// The store, nil where there is none; opened if that has not been done.
    func store(at now: Instant) throws(MonitorError) -> MonitorStore? {
        if let ledger { return ledger.store }
        guard access(database.file.path, F_OK) == 0 else { return nil }
        return try madeStore(at: now)
    }

    /// The store, made if there is none.
    func madeStore(at now: Instant) throws(MonitorError) -> MonitorStore {
        if let ledger { return ledger.store }
        if let closed, now < closed.retry { throw unavailable(closed.reason) }
        do throws(StoreError) {
            let store = MonitorStore(try database.open(at: HostTime.now))
            ledger = EventLedger(store)
            closed = nil
            try load(from: store)
            tellTrouble()
            return store
        } catch {
            ledger = nil
            closed = (error, now + MonitorRegister.patience)
            tellTrouble()
            throw unavailable(error)
        }
    }

    /// Does something with the store; what goes wrong is told to the client.
    func attempt<R>(at now: Instant, _ work: () throws(StoreError) -> R) throws(MonitorError) -> R {
        do throws(StoreError) { return try work() } catch {
            if error.trouble == .damaged { beginAnew(error, at: now) }
            throw unavailable(error)
        }
    }

    /// Whose monitor that is; nil for one that is gone.
    func key(of monitor: MonitorID) throws(StoreError) -> MonitorKey? {
        if let key = keys[monitor] { return key }
        for stored in try ledger?.store.monitors() ?? [] {
            if let owner = MonitorOwner(stored.program) { keys[stored.id] = MonitorKey(owner: owner, name: stored.name) }
        }
        return keys[monitor]
    }

    /// A monitor is no more.
    func forget(_ monitor: MonitorID) { keys[monitor] = nil }

    private func load(from store: MonitorStore) throws(StoreError) {
        horizons = [:]
        for owner in Set(try store.monitors().compactMap { MonitorOwner($0.program) }).sorted() { try fill(owner, from: store) }
    }

    private func unavailable(_ error: StoreError) -> MonitorError {
        .persistenceUnavailable(reason: "\(error); \(error.mend)")
    }
}

// MARK: What has happened
extension MonitorRegister {
    /// Writes down what has happened before anybody is told of it.
    func record(_ events: [ConditionEvent], standings: [(ConditionID, StoredStanding)] = [], at now: Instant) {
        guard let ledger else { return }
        settle(ledger.append(events, standings: standings, recorded: HostTime.now, at: now), at: now)
        guard events.contains(where: { $0.kind == .expired }) else { return }
        // Those that wait for room get it.
        for owner in Array(horizons.keys) { _ = try? attempt(at: now) { () throws(StoreError) in try fill(owner, from: ledger.store) } }
    }

    /// When ``tick(at:)`` wants to be called; nil while all is written.
    var deadline: Instant? { earliest(ledger?.deadline, closed?.retry) }

    /// Tries again what has failed.
    func tick(at now: Instant) {
        if let closed, closed.retry <= now {
            guard access(database.file.path, F_OK) == 0 else { return self.closed = nil }
            _ = try? madeStore(at: now)
        }
        if let ledger, let deadline = ledger.deadline, deadline <= now { settle(ledger.retry(at: now), at: now) }
    }

    /// The last attempt to write what is held in memory.
    func finish(at now: Instant) {
        _ = ledger?.retry(at: now)
    }

    private func settle(_ monitors: Set<MonitorID>, at now: Instant) {
        if let trouble = ledger?.trouble, trouble.trouble == .damaged { return beginAnew(trouble, at: now) }
        tellTrouble()
        for monitor in monitors {
            if let key = try? key(of: monitor), openings[key] != nil { news.insert(key) }
        }
    }
}

// MARK: Trouble
extension MonitorRegister {
    /// Why what happens cannot be written down; nil while it can.
    var trouble: StoreError? { ledger?.trouble ?? closed?.reason }

    /// The database has been torn while it was open: it is moved aside when it is opened again, and nothing of it is known any more.
    private func beginAnew(_ error: StoreError, at now: Instant) {
        log.critical("\(error)")
        (ledger, horizons, keys, news) = (nil, [:], [:], [])
        changes = WatchChanges(isAnew: true)
        for key in openings.keys { openings[key]?.isOver = true }
        news = Set(openings.keys)
        _ = try? madeStore(at: now)
    }

    /// Says once what is wrong, and once that it is over; who has a monitor open is told too.
    private func tellTrouble() {
        if let ledger, ledger.lost > toldLost {
            log.error(
                "\(ledger.lost - toldLost) events of monitors are lost: they could not be written for too long, and memory holds no more")
            toldLost = ledger.lost
        }
        guard trouble?.trouble != told else { return }
        told = trouble?.trouble
        if let trouble {
            log.error("monitors cannot be written: \(trouble); \(trouble.mend). They are watched, and what happens waits in memory")
        } else {
            log.notice("monitors can be written again, and nothing waits in memory")
        }
        for key in openings.keys { openings[key]?.owesMonitor = true }
        news.formUnion(openings.keys)
    }
}

extension StoreError {
    /// What can be done about it.
    var mend: String {
        switch trouble {
        case .full: "make room on its file system"
        case .unwritable: "let the user of the service write the file and its directory"
        case .device: "look for errors of the disk in the kernel's log"
        case .busy: "another process has it open; end that"
        case .damaged: "it is moved aside and begun anew"
        case .newer: "install the later version again, or move the file away"
        case .refused: "this is a fault of the service; please report it"
        }
    }
}
