import Chronology
import Geofencing
import TestSupport
import Testing

@testable import SQLite
@testable import StateStore

@Suite struct MigrationsTests {
    @Test func `every earlier schema version is migrated`() throws {
        let fresh = try schema(of: 0)
        for version in 0...Migrations.all.count { #expect(try schema(of: version) == fresh, "from version \(version)") }
    }

    @Test func `data of version 1 survives the migration`() throws {
        let scratch = try Scratch()
        do {
            let database = try made(scratch, version: 1)
            try database.execute(
                """
                INSERT INTO monitor (id, program, name, sequence) VALUES (1, '1000:navigator.service', 'home', 2);
                INSERT INTO condition (id, monitor, identifier, shape, assuming, dwell, expiry, metadata, state, since,
                    dwelt, folded)
                VALUES (7, 1, 'gate', x'01010000000000C0494000000000000022400000000000C06240', 'unknown',
                    60000000000, NULL, '{}', 'satisfied',
                    1795270953000, 1, 0);
                INSERT INTO event (monitor, sequence, condition, kind, state, date, recorded, folded) VALUES
                    (1, 2, 7, 'dwelt', 'satisfied', 1795270953000, 1795270953000, 0);
                INSERT INTO usage (day, receiver, kind, name, seconds) VALUES (20778, 'a', 'state', 'tracking', 3.5);
                """, for: "trying")
        }
        let (store, monitor) = try Samples.store(scratch)
        let record = try #require(try store.record(for: "gate", of: monitor))
        #expect(record.id == ConditionID(7))
        #expect(
            record.added.condition
                == FenceCondition(shape: .circle(center: Samples.point(51.5, 9), radius: 150), dwell: .seconds(60)))
        #expect(record.snapshot == StoredConditionState(state: .satisfied, since: Samples.now, hasDwelt: true))
        #expect(record.nextEvent?.sequence == 2)
        #expect(
            try store.database.integer("SELECT count(*) FROM usage WHERE day = 20778 AND seconds = 3.5", for: "trying")
                == 1)
    }

    private func made(_ scratch: Scratch, version: Int) throws -> Database {
        write([], to: scratch("sextant.db"))
        let database = try Database(opening: scratch("sextant.db"))
        try database.migrate(by: Migrations.all, to: version)
        return database
    }

    private func schema(of version: Int) throws -> [String] {
        let scratch = try Scratch()
        do { _ = try made(scratch, version: version).execute("PRAGMA application_id=1", for: "trying") }
        let database = try DatabaseFile(path: scratch("sextant.db")).open(at: Samples.now).database
        #expect(try database.integer("PRAGMA user_version", for: "trying") == Int64(Migrations.all.count))
        let select = try database.prepare(
            "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1", for: "trying")
        var lines: [String] = []
        while try select.step() { lines.append(select.text(0)) }
        return lines
    }
}
