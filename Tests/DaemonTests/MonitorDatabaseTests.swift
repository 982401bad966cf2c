import Chronology
import Geodesy
import Geofencing
import Glibc
import SQLite
import SextantAPI
import StateStore
import SystemCalls
import TestSupport
import Testing

@testable import sextantd

/// Tests of the database of the monitors when its file or its disk fails.
@Suite struct MonitorDatabaseTests {
    private let scratch: Scratch
    private let file: StateDatabase
    private let recorder = LogRecorder()
    private let now = Instant.zero + .seconds(100)

    init() throws {
        scratch = try Scratch()
        file = StateDatabase(directory: scratch.path, log: recorder.log)
    }

    /// Counts the calls of the delegate.
    private final class Calls: MonitorDatabaseDelegate {
        private(set) var openings = 0
        private(set) var losses = 0

        func opened(_ store: MonitorStore) { openings += 1 }
        func resumed(_ store: MonitorStore, _ ledger: EventLedger) {}
        func lost() { losses += 1 }
        func troubleChanged() {}
    }

    private let calls = Calls()

    private func database() -> MonitorDatabase { MonitorDatabase(file, log: recorder.log, delegate: calls) }

    private func addCircle(_ database: MonitorDatabase) throws -> ConditionID {
        let store = try database.openOrCreate(at: now)
        let center = try #require(Coordinate(latitude: 48, longitude: 11))
        let new = NewCondition("c", FenceCondition(shape: .circle(center: center, radius: 100)))
        return try store.add([new], to: try store.openMonitor("home", of: "1000"))[0].id
    }

    private func fail(_ database: MonitorDatabase, code: Int32) {
        #expect(throws: MonitorError.self) {
            try database.perform(at: now) { () throws(StoreError) in
                throw StoreError("reading from sextant.db", reason: "failed", code: code)
            }
        }
    }

    @Test func `after a device error the database is opened again and held events are written`() throws {
        let database = database()
        let id = try addCircle(database)
        fail(database, code: 10)
        #expect(database.openStore == nil && database.trouble?.kind == .device)
        #expect(throws: MonitorError.self) { try database.openOrCreate(at: now) }
        #expect(
            database.append([ConditionEvent(id, kind: .entered, state: .satisfied)], snapshots: [], at: now).isEmpty)
        let retry = try #require(database.deadline)
        #expect(database.tick(at: now).isEmpty && database.openStore == nil)
        #expect(database.tick(at: retry).count == 1)
        #expect(database.trouble == nil && database.deadline == nil)
        #expect(try database.openStore?.monitors().map(\.pending) == [1])
        #expect(calls.openings == 1 && calls.losses == 0, "the conditions are still monitored")
    }

    @Test func `a slow write is followed by a pause of the same duration`() {
        #expect(MonitorDatabase.pause(after: .milliseconds(1)) == nil)
        #expect(MonitorDatabase.pause(after: .milliseconds(20)) == .milliseconds(20))
        #expect(MonitorDatabase.pause(after: .seconds(9)) == .milliseconds(100))
    }

    /// A full disk fails at once: without a pause the daemon would write in each turn.
    @Test func `a log that cannot be copied into the file waits`() throws {
        let disk = FaultyDisk(scratch.path)
        let (database, now) = (database(), HostClock.now + .seconds(3600))
        _ = try addCircle(database)
        let store = try #require(database.openStore)
        try database.beginBatch(at: now)
        for number in 0..<1000 {
            try store.database.execute(
                "INSERT INTO usage (day, receiver, kind, name) VALUES (\(number), hex(randomblob(2000)), 'a', 'b')",
                for: "trying")
        }
        #expect(database.saveCalls(at: now) && store.database.needsCheckpoint)
        disk.fail(.write, at: 0, count: .max, error: ENOSPC)
        _ = database.tick(at: now)
        let retry = try #require(database.deadline)
        #expect(store.database.needsCheckpoint && retry >= now + .seconds(1))
        disk.heal()
        _ = database.tick(at: retry)
        #expect(!store.database.needsCheckpoint && database.deadline == nil)
        #expect(database.nextWrite > .zero, "thousands of slow writes are followed by a pause")
    }

    @Test func `a database that cannot be opened and is then deleted is no trouble any more`() throws {
        do { _ = try addCircle(database()) }
        let (disk, database) = (FaultyDisk(scratch.path), database())
        disk.fail(.read, at: 0, count: .max)
        #expect(throws: MonitorError.self) { try database.open(at: now) }
        #expect(database.trouble?.kind == .device && database.isClosed)
        disk.heal()
        for name in scratch.names { unlink(scratch(name)) }
        #expect(database.tick(at: try #require(database.deadline)).isEmpty)
        #expect(database.deadline == nil && file.trouble == nil && recorder.count("works again") == 1)
    }

    @Test func `a device error while events are written closes the database`() throws {
        let (disk, database) = (FaultyDisk(scratch.path), database())
        let id = try addCircle(database)
        disk.fail(.sync, at: 0, count: .max)
        #expect(
            database.append([ConditionEvent(id, kind: .entered, state: .satisfied)], snapshots: [], at: now).isEmpty)
        #expect(database.isClosed && database.trouble?.kind == .device)
        disk.heal()
        #expect(database.tick(at: try #require(database.deadline)).count == 1)
        #expect(database.trouble == nil && database.deadline == nil)
    }

    @Test func `a database whose file was deleted is replaced instead of written to`() throws {
        let database = database()
        let id = try addCircle(database)
        for name in Scratch.names(in: scratch.path) where name.hasPrefix("sextant.db") { unlink(scratch(name)) }
        try database.beginBatch(at: now)
        #expect(!database.saveCalls(at: now))
        #expect(calls.losses == 1 && database.openStore == nil)
        #expect(recorder.count("lost ") == 0, "no event was held")
        _ = database.tick(at: now)
        #expect(try addCircle(database) == id, "the first of a new database")
        #expect(calls.openings == 2 && access(scratch("sextant.db"), F_OK) == 0)
        #expect(
            database.append([ConditionEvent(id, kind: .entered, state: .satisfied)], snapshots: [], at: now).count == 1)
    }

    @Test func `the changes of a turn in which the device fails are not confirmed`() throws {
        let database = database()
        _ = try addCircle(database)
        try database.beginBatch(at: now)
        fail(database, code: 10)
        #expect(!database.saveCalls(at: now))
        #expect(database.saveCalls(at: now), "there is nothing to confirm")
    }

    @Test func `a batch that begins after another of its turn was lost is finished`() throws {
        let database = database()
        _ = try addCircle(database)
        try database.beginBatch(at: now)
        fail(database, code: 11)
        // A second call of the turn opens the database again.
        _ = try addCircle(database)
        try database.beginBatch(at: now)
        #expect(!database.saveCalls(at: now), "the changes of the first call are lost")
        let reopened = try #require(database.openStore).database
        let (synchronous, full): (Int64?, Int64) = (
            try reopened.prepare("PRAGMA synchronous", for: "reading").first { $0.integer(0) }, 2
        )
        #expect(synchronous == full && !reopened.isInBatch)
        #expect(database.saveCalls(at: now))
    }

    @Test func `a damaged database is moved aside and replaced in the next turn`() throws {
        let database = database()
        _ = try addCircle(database)
        for name in ["sextant.db", "sextant.db-wal"] {
            try scratch.write(String(repeating: "x", count: 65_536), to: name)
        }
        fail(database, code: 11)
        #expect(calls.losses == 0 && database.openStore == nil, "the damage is to be found again first")
        #expect(database.tick(at: try #require(database.deadline)).isEmpty)
        #expect(calls.losses == 1)
        #expect(database.trouble == nil)
        #expect(try database.openStore?.monitors().isEmpty == true)
        #expect(Scratch.names(in: scratch.path).contains { $0.contains(".torn-") })
        _ = try addCircle(database)
    }

    @Test func `held events of a database that is replaced are not written to another condition`() throws {
        let database = database()
        let id = try addCircle(database)
        fail(database, code: 10)
        _ = database.append([ConditionEvent(id, kind: .entered, state: .satisfied)], snapshots: [], at: now)
        for name in ["sextant.db", "sextant.db-wal"] {
            try scratch.write(String(repeating: "x", count: 65_536), to: name)
        }
        _ = database.tick(at: try #require(database.deadline))
        #expect(calls.losses == 1 && calls.openings == 2 && recorder.count("lost 1 monitor events") == 1)
        #expect(try addCircle(database) == id)
        _ = database.tick(at: now + .seconds(1000))
        #expect(try database.openStore?.monitors().map(\.pending) == [0])
    }

    @Test func `a trouble and its end are logged once, and for calls once until then`() throws {
        let database = database()
        _ = try addCircle(database)
        var now = now
        for count in 1...2 {
            for _ in 0..<3 { fail(database, code: 13) }
            #expect(recorder.count("free space on the file system") == count)
            for _ in 0..<2 { fail(database, code: 10) }
            #expect(recorder.count("cannot write monitor events") == count)
            now = try #require(database.deadline)
            _ = database.tick(at: now)
            #expect(recorder.count("writing monitor events works again") == count && database.trouble == nil)
        }
    }

    @Test func `events that are held when the daemon ends are written`() throws {
        let database = database()
        let id = try addCircle(database)
        fail(database, code: 10)
        _ = database.append([ConditionEvent(id, kind: .entered, state: .satisfied)], snapshots: [], at: now)
        database.finish(at: now)
        #expect(try database.openStore?.monitors().map(\.pending) == [1] && !database.holdsEvents)
    }

    @Test func `a batch that failed for a change of another kind closes the database`() throws {
        let disk = FaultyDisk(scratch.path)
        let database = database()
        _ = try addCircle(database)
        try database.beginBatch(at: now)
        try database.openStore?.database.execute(
            "INSERT INTO usage (day, receiver, kind, name) VALUES (1, 'a', 'b', 'c')", for: "trying")
        disk.fail(.sync, at: 0, count: .max)
        #expect(throws: StoreError.self) { try file.open(at: HostClock.utc).finishBatch() }
        #expect(!database.saveCalls(at: now) && database.trouble?.kind == .device)
    }

    @Test func `a removal waits for a database that failed, and ends without one`() throws {
        let database = database()
        database.beginDeletion(at: now)
        #expect(database.continueDeletion(at: now).isEmpty && database.deadline == nil)
        _ = try addCircle(database)
        fail(database, code: 10)
        database.beginDeletion(at: now)
        _ = database.continueDeletion(at: now)
        _ = database.tick(at: try #require(database.deadline))
        let next = try #require(database.deadline)
        #expect(next > now && database.trouble == nil)
        _ = database.continueDeletion(at: next)
        #expect(database.deadline == nil)
    }
}
