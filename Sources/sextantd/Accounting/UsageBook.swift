import Chronology
import Glibc
import Receivers
import Store

/// Where the daemon keeps what was spent: opened for each reading and writing, and closed after it unless somebody else needs it too.
struct UsageBook {
    private let database: StateDatabase

    init(_ database: StateDatabase) { self.database = database }

    /// All days that are kept.
    func ledger() throws -> PowerLedger {
        // Nothing is made for the sake of a question.
        guard access(database.file.path, F_OK) == 0 else { return PowerLedger() }
        return PowerLedger(try database.open(at: HostTime.now).usage(of: 0...Int(Int32.max)))
    }

    /// Adds what has been spent to what is kept, day by day, and forgets those that are not kept any more.
    func add(_ spent: PowerLedger, today: CivilDate) throws {
        let days = spent.days.keys.map(\.daysSince1970)
        guard let first = days.min(), let last = days.max() else { return }
        let open = try database.open(at: HostTime.now)
        var ledger = PowerLedger(try open.usage(of: first...last))
        ledger.add(spent)
        let rows = ledger.rows(of: spent.days.keys)
        let present = today.daysSince1970
        try open.replaceUsage(with: rows, keeping: present - PowerLedger.capacity + 1...present)
    }
}
