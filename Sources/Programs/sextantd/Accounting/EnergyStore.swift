import Chronology
import Glibc
import Receivers
import SQLite
import StateStore
import SystemCalls

/// Stores the energy usage. The database is opened for each access and closed afterwards unless
/// another part of the daemon uses it.
struct EnergyStore {
    private let database: StateFile

    init(_ database: StateFile) { self.database = database }

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
