import Chronology
import Glibc
import Logging
import Receivers
import Store

/// Where the daemon keeps what was spent: opened for each reading and writing, closed between them.
struct UsageBook {
    private let directory: String
    private let log: Logger

    init(directory: String, log: Logger) { (self.directory, self.log) = (directory, log) }

    private var path: String { "\(directory)/sextant.db" }

    /// All days that are kept.
    func ledger() throws -> PowerLedger {
        // Nothing is made for the sake of a question.
        guard access(path, F_OK) == 0 else { return PowerLedger() }
        return PowerLedger(try open().usage(of: 0...Int(Int32.max)))
    }

    /// Adds what has been spent to what is kept, day by day, and forgets those that are not kept any more.
    func add(_ spent: PowerLedger, today: CivilDate) throws {
        let days = spent.days.keys.map(\.daysSince1970)
        guard let first = days.min(), let last = days.max() else { return }
        try StateDirectory.make(directory)
        let database = try open()
        var ledger = PowerLedger(try database.usage(of: first...last))
        ledger.add(spent)
        let rows = ledger.rows(of: spent.days.keys)
        let present = today.daysSince1970
        try database.replaceUsage(with: rows, keeping: present - PowerLedger.capacity + 1...present)
    }

    private func open() throws -> Database {
        let (database, setAside) = try DatabaseFile(path: path).open(at: HostClock.now)
        if let setAside { log.error("\(setAside)") }
        return database
    }
}
