import Geofencing

/// Monitors, their conditions, and the events that have not been acknowledged.
///
/// Every operation is one transaction: when it returns it is on the disk, and when it throws nothing has changed. What changes nothing
/// writes nothing.
public final class MonitorStore {
    /// Events of one monitor that wait, unless said otherwise; beyond it what comes and goes again is folded (`MonitorStore+Folding`).
    public static let mostWaiting = 4096
    /// Bytes of metadata of one condition.
    public static let mostMetadata = 4096

    /// Where they are kept.
    public let database: Database
    /// See the static property of this name.
    let mostWaiting: Int
    /// Waiting events at which folding is tried again, for monitors in which it was of no use.
    var foldAgain: [MonitorID: Int] = [:]

    /// The monitors in `database`.
    public init(_ database: Database, mostWaiting: Int = mostWaiting) {
        (self.database, self.mostWaiting) = (database, mostWaiting)
    }

    /// The monitor of this name, made if it is new.
    public func openMonitor(_ name: String, of program: String) throws(StoreError) -> MonitorID {
        if let id = try monitor(name, of: program) { return id }
        let insert = try database.prepare("INSERT INTO monitor (program, name) VALUES (?1, ?2)", "making a monitor in")
        try insert.run(.text(program), .text(name))
        return MonitorID(database.lastRow)
    }

    /// The monitor of this name, if there is one.
    public func monitor(_ name: String, of program: String) throws(StoreError) -> MonitorID? {
        let select = try database.prepare("SELECT id FROM monitor WHERE program = ?1 AND name = ?2", "looking for a monitor in")
        return try select.first(.text(program), .text(name)) { MonitorID($0.integer(0)) }
    }

    /// Removes a monitor with all that is in it.
    ///
    /// - Returns: the conditions that were in it.
    @discardableResult
    public func delete(_ monitor: MonitorID) throws(StoreError) -> [ConditionID] {
        let ids = try conditions(of: monitor)
        let delete = try database.prepare("DELETE FROM monitor WHERE id = ?1", "removing a monitor from")
        try delete.run(.integer(monitor.rawValue))
        return ids
    }

    /// Monitors in order of program and name; those of one program, or all.
    public func monitors(of program: String? = nil) throws(StoreError) -> [StoredMonitor] {
        let select = try database.prepare(
            """
            SELECT id, program, name, (SELECT count(*) FROM condition WHERE monitor = m.id), (SELECT count(*) FROM event WHERE monitor = m.id)
            FROM monitor m WHERE ?1 IS NULL OR program = ?1 ORDER BY program, name
            """, "listing monitors in")
        try select.bind(.text(program))
        var monitors: [StoredMonitor] = []
        while try select.step() {
            monitors.append(
                StoredMonitor(
                    id: MonitorID(select.integer(0)), program: select.text(1), name: select.text(2),
                    conditions: Int(clamping: select.integer(3)), waiting: Int(clamping: select.integer(4))))
        }
        return monitors
    }

    /// How many conditions a program has, all its monitors together.
    public func conditionCount(of program: String) throws(StoreError) -> Int {
        let select = try database.prepare(
            "SELECT count(*) FROM condition WHERE monitor IN (SELECT id FROM monitor WHERE program = ?1)", "counting conditions in")
        return try select.first(.text(program)) { Int(clamping: $0.integer(0)) } ?? 0
    }

    /// The conditions of a monitor, in the order in which they were added.
    public func conditions(of monitor: MonitorID) throws(StoreError) -> [ConditionID] {
        let select = try database.prepare("SELECT id FROM condition WHERE monitor = ?1 ORDER BY id", "listing conditions in")
        try select.bind(.integer(monitor.rawValue))
        var ids: [ConditionID] = []
        while try select.step() { ids.append(ConditionID(select.integer(0))) }
        return ids
    }
}
