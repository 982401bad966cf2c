import Permission
import SQLite
import SextantAPI
import StateStore

/// The limits on monitors and conditions: per program, per user, and in total.
///
/// A user can have any number of programs, so limits per program alone do not limit a user. Only
/// the limits per program and in total apply to the administrator (user 0). A database that exceeds
/// a limit, such as one of an earlier version, is served, and only additions are refused.
struct MonitorLimits: Equatable {
    static let maxMonitorsPerProgram = 64
    /// The maximum number of monitors per user, in all programs.
    static let maxMonitorsPerUser = 256
    /// The ratio of stored to monitored conditions that a program may have.
    private static let storedPerMonitored = 10
    /// The number of programs with all their conditions that a user may have.
    private static let fullProgramsPerUser = 16

    /// The maximum number of monitored conditions per program; `nil` for no limit.
    var monitoredPerProgram: Int?
    /// The maximum number of stored conditions of all programs.
    var storedInTotal: Int
    /// The maximum size of a user's monitors and conditions in the file, in bytes. With the pending
    /// events (``EventStore/maxPendingPerUser``), a user fills at most 64 MB.
    var bytesPerUser = 48 << 20

    init(_ settings: Settings) {
        monitoredPerProgram = settings.maxConditionsPerProgram == 0 ? nil : settings.maxConditionsPerProgram
        storedInTotal = settings.maxConditions
    }

    /// The maximum number of stored conditions per program, monitored or not.
    var storedPerProgram: Int {
        monitoredPerProgram.map { min(storedInTotal, $0 * MonitorLimits.storedPerMonitored) } ?? storedInTotal
    }

    /// The maximum number of stored conditions per user, monitored or not.
    var storedPerUser: Int {
        guard monitoredPerProgram != nil else { return storedInTotal }
        return min(storedInTotal, storedPerProgram * MonitorLimits.fullProgramsPerUser)
    }
}

extension MonitorLimits {
    /// Returns the error for an addition that would exceed a limit; `nil` if it exceeds none.
    func error(
        adding batch: [NewCondition], to key: MonitorKey, in store: MonitorStore
    ) throws(StoreError) -> MonitorError? {
        let program = key.owner.description
        let monitor = try store.monitor(key.name, of: program)
        if monitor == nil, let error = try error(addingMonitorOf: key.owner, in: store) { return error }
        let stored = Stored(
            inProgram: try store.conditionCount(of: program), inTotal: try store.conditionCount(),
            ofUser: try store.storageUse(ofUser: key.owner.user))
        let all = Additions(count: batch.count, bytes: batch.reduce(0) { $0 + StorageUse.bytes(of: $1) })
        guard error(adding: all, to: stored, of: key.owner) != nil else { return nil }
        // Conditions that replace others need only the difference.
        var exact = all
        var known: Set<String> = []
        for new in batch {
            if !known.insert(new.identifier).inserted {
                exact.count -= 1
            } else if let monitor, let bytes = try store.bytes(of: new.identifier, in: monitor) {
                exact.count -= 1
                exact.bytes -= bytes
            }
        }
        return error(adding: exact, to: stored, of: key.owner)
    }

    /// Returns the error for a new monitor that would exceed a limit; `nil` if it exceeds none.
    func error(addingMonitorOf owner: ProgramID, in store: MonitorStore) throws(StoreError) -> MonitorError? {
        let own = try store.monitorCount(of: owner.description)
        if own >= MonitorLimits.maxMonitorsPerProgram {
            return .tooManyMonitors(
                ExceededLimit(
                    MonitorLimits.maxMonitorsPerProgram, of: .program,
                    reason: "the program \(owner) has \(own) monitors, and a program can have "
                        + "\(MonitorLimits.maxMonitorsPerProgram); delete monitors that it no longer needs"))
        }
        let use = try store.storageUse(ofUser: owner.user)
        guard owner.user != 0, use.monitors >= MonitorLimits.maxMonitorsPerUser else { return nil }
        return .tooManyMonitors(
            ExceededLimit(
                MonitorLimits.maxMonitorsPerUser, of: .user,
                reason: "the programs of user \(owner.user) have \(use.monitors) monitors, and a user can have "
                    + "\(MonitorLimits.maxMonitorsPerUser); delete monitors that are no longer needed"))
    }

    private struct Stored {
        var inProgram: Int
        var inTotal: Int
        var ofUser: StorageUse
    }

    private struct Additions {
        var count: Int
        var bytes: Int
    }

    private func error(adding added: Additions, to stored: Stored, of owner: ProgramID) -> MonitorError? {
        if added.count > 0, let exceeded = exceeded(adding: added.count, to: stored, of: owner) {
            return .tooManyConditions(exceeded)
        }
        let bytes = stored.ofUser.bytes
        guard owner.user != 0, added.bytes > 0, bytes + added.bytes > bytesPerUser else { return nil }
        return .tooMuchData(
            ExceededLimit(
                bytesPerUser, of: .user,
                reason: "the conditions of user \(owner.user) occupy \(bytes) bytes, these need \(added.bytes) more, "
                    + "and a user can have \(bytesPerUser); remove conditions, or use fewer points "
                    + "and less metadata"))
    }

    private func exceeded(adding count: Int, to stored: Stored, of owner: ProgramID) -> ExceededLimit? {
        if stored.inProgram + count > storedPerProgram {
            return ExceededLimit(
                storedPerProgram, of: .program,
                reason: "the program \(owner) has \(stored.inProgram) conditions, and a program can have "
                    + "\(storedPerProgram); remove some, or raise max_conditions_per_program under [monitors]")
        }
        if owner.user != 0, stored.ofUser.conditions + count > storedPerUser {
            return ExceededLimit(
                storedPerUser, of: .user,
                reason:
                    "the programs of user \(owner.user) have \(stored.ofUser.conditions) conditions, and a user can "
                    + "have \(storedPerUser); remove some, or raise max_conditions_per_program under [monitors]")
        }
        guard stored.inTotal + count > storedInTotal else { return nil }
        return ExceededLimit(
            storedInTotal, of: .all,
            reason: "all programs together have \(stored.inTotal) conditions, and the service stores "
                + "\(storedInTotal); remove some, or raise max_conditions under [monitors]")
    }
}
