import TestSupport
import Testing

@testable import SQLite
@testable import StateStore

/// Tests of a database that the daemon may read and not write.
@Suite struct ReadOnlyDatabaseTests {
    @Test(arguments: ["sextant.db", "100 % of #1?.db", "größe.db"])
    func `a database is read without write access`(name: String) throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch(name))
        do {
            let store = MonitorStore(try file.open(at: Samples.now).database)
            let monitor = try store.openMonitor("home", of: Samples.program)
            _ = try store.add([NewCondition("gate", Samples.circle(1))], to: monitor)
        }
        let store = MonitorStore(try file.openReadOnly())
        let monitor = try #require(try store.monitor("home", of: Samples.program))
        #expect(try store.records(of: monitor, limit: 10).records.map(\.added.identifier) == ["gate"])
        let error = #expect(throws: StoreError.self) { try store.openMonitor("work", of: Samples.program) }
        #expect(error?.kind == .unwritable)
    }

    @Test func `a database with changes in its log is not read without write access`() throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("sextant.db"))
        let store = MonitorStore(try file.open(at: Samples.now).database)
        _ = try store.openMonitor("home", of: Samples.program)
        let error = #expect(throws: StoreError.self) { try file.openReadOnly() }
        #expect(error?.kind == .unwritable && error?.reason.contains("log") == true)
        withExtendedLifetime(store) {}
    }

    @Test func `a database of another version is not read without write access`() throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("sextant.db"))
        try file.open(at: Samples.now).database.execute("PRAGMA user_version = 1", for: "testing")
        let error = #expect(throws: StoreError.self) { try file.openReadOnly() }
        #expect(error?.kind == .unwritable && error?.reason.contains("version") == true)
    }

    @Test func `a missing database is not created without write access`() throws {
        let scratch = try Scratch()
        #expect(throws: StoreError.self) { try DatabaseFile(path: scratch("none.db")).openReadOnly() }
    }
}
