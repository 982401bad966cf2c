import Chronology
import Geofencing
import Glibc
import Logging
import Store
import SystemCalls
import Wire

/// The monitors of all programs: what is kept of them, who has them open, and which of their conditions the core watches.
///
/// The database is opened when there is one or somebody makes a monitor; a daemon without monitors has none. What goes wrong with it is said
/// once when it begins and once when it is over. What the core has to do is left in ``changes``.
final class MonitorRegister {
    /// After a failure the store is tried again after this long.
    static let patience = Instant.Span.seconds(30)
    /// Monitors that one program may have.
    static let mostMonitors = 64
    /// A program may keep so many times as many conditions as are watched for it.
    static let keptForEachWatched = 10

    /// What the configuration allows.
    struct Limits: Equatable {
        /// Conditions that are watched for one program; 0: any number.
        var perProgram: Int
        /// Conditions that are kept for all.
        var inAll: Int
    }

    var log: Logger
    var limits: Limits
    var changes = WatchChanges()
    var openings: [MonitorKey: Opening] = [:]
    /// Open monitors that may have something to tell.
    var news: Set<MonitorKey> = []
    /// What could not be written down, oldest first.
    var unwritten: [ConditionEvent] = []
    /// Of each program, the last condition that is watched: those added before it are too.
    var horizons: [Program: ConditionID] = [:]
    private(set) var store: MonitorStore?
    /// What stands against writing; nil while nothing does.
    private(set) var trouble: StoreError?
    private(set) var retry: Instant?
    private let file: DatabaseFile
    private let hostTime: () -> UTCTime
    private var keys: [MonitorID: MonitorKey] = [:]

    init(directory: String, limits: Limits, log: Logger, hostTime: @escaping () -> UTCTime) {
        file = DatabaseFile(path: "\(directory)/sextant.db")
        (self.limits, self.log, self.hostTime) = (limits, log, hostTime)
    }

    var now: UTCTime { hostTime() }

    /// Loads what earlier runs have left, if anything.
    func start(at now: Instant) {
        guard access(file.path, F_OK) == 0 else { return }
        do throws(StoreError) {
            try open()
            try load()
        } catch {
            failed(error, at: now)
        }
    }

    /// The store, opened if that has not been done; nil where there is none and none is to be made.
    func opened(making: Bool, at now: Instant) throws(MonitorError) -> MonitorStore? {
        if let store { return store }
        if let trouble, let retry, now < retry { throw unavailable(trouble) }
        guard making || access(file.path, F_OK) == 0 else { return nil }
        return try attempt(at: now) { () throws(StoreError) in
            try open()
            try load()
            return store
        }
    }

    /// Does something with the store; what goes wrong is remembered, said, and told to the client.
    func attempt<R>(at now: Instant, _ work: () throws(StoreError) -> R) throws(MonitorError) -> R {
        do throws(StoreError) {
            let result = try work()
            if unwritten.isEmpty { recovered() }
            return result
        } catch {
            if error.trouble != .refused { failed(error, at: now) }
            throw unavailable(error)
        }
    }

    /// Whose monitor that is.
    func key(of monitor: MonitorID) throws(StoreError) -> MonitorKey? {
        if let key = keys[monitor] { return key }
        keys.removeAll()
        for stored in try store?.monitors() ?? [] {
            if let program = Program(stored.program) { keys[stored.id] = MonitorKey(program: program, name: stored.name) }
        }
        return keys[monitor]
    }

    private func open() throws(StoreError) {
        if let slash = file.path.lastIndex(of: "/") { try? StateDirectory.make(String(file.path[..<slash])) }
        let (database, setAside) = try file.open(at: hostTime())
        if let setAside { log.critical("\(setAside)") }
        store = MonitorStore(database)
        keys = [:]
    }

    private func unavailable(_ error: StoreError) -> MonitorError {
        .persistenceUnavailable(reason: "\(error); \(MonitorRegister.mend(error))")
    }
}

// MARK: Trouble
extension MonitorRegister {
    /// Whether what happens can be written down.
    var isUnavailable: Bool { trouble != nil }

    /// When ``tick(at:)`` wants to be called.
    var deadline: Instant? { retry }

    /// Tries again what has failed.
    func tick(at now: Instant) {
        guard let retry, retry <= now else { return }
        self.retry = nil
        if store == nil {
            guard access(file.path, F_OK) == 0 || !unwritten.isEmpty else { return recovered() }
            _ = try? opened(making: true, at: now)
        }
        write(at: now)
    }

    /// A failure of the store: said when it is another than before, and what is torn is begun anew.
    func failed(_ error: StoreError, at now: Instant) {
        if error.trouble == .damaged, store != nil {
            log.critical("\(error)")
            store = nil
            unwritten = []
            horizons = [:]
            changes.isAnew = true
            openings = openings.mapValues { $0.closing() }
            do throws(StoreError) { try open() } catch { return noted(error, at: now) }
            return
        }
        noted(error, at: now)
    }

    private func noted(_ error: StoreError, at now: Instant) {
        let isNews = trouble?.trouble != error.trouble
        trouble = error
        retry = now + MonitorRegister.patience
        guard isNews else { return }
        log.error(
            "monitors cannot be written: \(error); \(MonitorRegister.mend(error)). They are watched all the same, and what happens is kept in memory",
            metadata: ["trouble": "\(error.trouble)"])
        oweMonitors()
    }

    /// It works again.
    func recovered() {
        guard trouble != nil else { return }
        (trouble, retry) = (nil, nil)
        log.notice("monitors can be written again, and nothing waits in memory")
        oweMonitors()
    }

    private func oweMonitors() {
        for key in openings.keys {
            openings[key]?.owesMonitor = true
            news.insert(key)
        }
    }

    private static func mend(_ error: StoreError) -> String {
        switch error.trouble {
        case .full: "make room on its file system"
        case .unwritable: "let the user of the service write the file and its directory"
        case .device: "look at the kernel's log for the disk"
        case .busy: "another process has it open; end that"
        case .damaged: "it is begun anew"
        case .newer: "install the later version again, or move the file away"
        case .refused: "this is a fault of the service"
        }
    }
}
