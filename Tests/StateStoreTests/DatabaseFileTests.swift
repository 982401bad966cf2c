import Chronology
import Glibc
import StateStore
import TestSupport
import Testing

@testable import SQLite

@Suite struct DatabaseFileTests {
    private let now = UTCTime(milliseconds: 1_795_270_953_000)

    @Test func `the database is created for its owner only`() throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("state/sextant.db"))
        let (database, movedAside) = try file.open(at: now)
        #expect(movedAside == nil)
        try database.execute(
            "INSERT INTO usage (day, receiver, kind, name) VALUES (1, 'a', 'state', 'on')", for: "trying")
        #expect(mode(of: scratch("state")) == 0o700)
        for suffix in ["", "-wal"] { #expect(mode(of: file.path + suffix) == 0o600) }
    }

    @Test func `committed data exists after reopening`() throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("sextant.db"))
        do {
            let database = try file.open(at: now).database
            try database.execute(
                "INSERT INTO usage (day, receiver, kind, name) VALUES (1, 'a', 'state', 'on')", for: "trying")
        }
        #expect(scratch.names == ["sextant.db"])
        #expect(try file.open(at: now).database.integer("SELECT count(*) FROM usage", for: "trying") == 1)
    }

    @Test func `a commit waits for the disk, and a batch of commits once`() throws {
        let scratch = try Scratch()
        let database = try DatabaseFile(path: scratch("sextant.db")).open(at: now).database
        let (normal, full): (Int64, Int64) = (1, 2)
        #expect(try database.integer("PRAGMA synchronous", for: "trying") == full)
        #expect(try database.prepare("PRAGMA journal_mode", for: "trying").first { $0.text(0) } == "wal")
        try database.beginBatch()
        try database.execute(
            "INSERT INTO usage (day, receiver, kind, name) VALUES (1, 'a', 'state', 'on')", for: "trying")
        #expect(try database.integer("PRAGMA synchronous", for: "trying") == normal)
        try database.finishBatch()
        #expect(try database.integer("PRAGMA synchronous", for: "trying") == full)
    }

    @Test func `the log of many batches is copied into the file on request`() throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("sextant.db"))
        let database = try file.open(at: now).database
        let before = bytes(of: file.path).count
        for number in 0..<600 {
            try database.beginBatch()
            try database.execute(
                "INSERT INTO usage (day, receiver, kind, name) VALUES (\(number), hex(randomblob(2000)), 'a', 'b')",
                for: "trying")
            try database.finishBatch()
            #expect(bytes(of: file.path).count == before, "a batch waits for the disk only once")
            if database.needsCheckpoint { break }
        }
        #expect(database.needsCheckpoint)
        try database.checkpoint()
        #expect(bytes(of: file.path).count > before && !database.needsCheckpoint)
    }

    @Test func `a transaction that throws changes nothing`() throws {
        let scratch = try Scratch()
        let database = try DatabaseFile(path: scratch("sextant.db")).open(at: now).database
        #expect(throws: StoreError.self) {
            try database.transaction("trying") { () throws(StoreError) in
                try database.execute(
                    "INSERT INTO usage (day, receiver, kind, name) VALUES (1, 'a', 'state', 'on')", for: "trying")
                try database.execute("INSERT INTO nowhere VALUES (1)", for: "trying")
            }
        }
        #expect(try database.integer("SELECT count(*) FROM usage", for: "trying") == 0)
        try database.transaction("trying") { () throws(StoreError) in }
    }

    @Test func `a second service cannot open the database`() throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("sextant.db"))
        let first = try file.open(at: now).database
        let error = #expect(throws: StoreError.self) { try file.open(at: now) }
        #expect(error?.kind == .busy)
        try first.execute("DELETE FROM usage", for: "trying")
        #expect(scratch.names.allSatisfy { !$0.contains("torn") })
    }

    @Test func `a file that is not a database is moved aside and reported`() throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("sextant.db"))
        for name in ["torn-20261121T142233", "torn-20261121T142233-1"] {
            write(Array("this is a letter, and not a database of any kind".utf8), to: file.path)
            let (database, movedAside) = try file.open(at: now)
            #expect(movedAside?.path == scratch("sextant.db.\(name)"))
            #expect(movedAside?.reason.kind == .damaged)
            #expect(try database.integer("SELECT count(*) FROM monitor", for: "trying") == 0)
        }
        #expect(bytes(of: scratch("sextant.db.torn-20261121T142233")).count == 48)
    }

    @Test func `damage that is found once and not again leaves the file in place`() throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("sextant.db"))
        do { try file.open(at: now).database.execute("PRAGMA user_version", for: "trying") }
        let disk = FaultyDisk(scratch.path)
        var number = 0
        repeat {
            disk.fail(.read, at: number, error: -1)
            #expect(try file.open(at: now).movedAside == nil, "read \(number)")
            number += 1
        } while disk.heal()
        #expect(number > 3)
    }

    @Test func `a newer schema version is rejected and not modified`() throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("sextant.db"))
        do { try file.open(at: now).database.execute("PRAGMA user_version=99", for: "trying") }
        let error = #expect(throws: StoreError.self) { try file.open(at: now) }
        #expect(error?.kind == .newer)
        #expect(error?.reason.contains("version 99") == true)
        #expect(scratch.names == ["sextant.db"])
    }

    private func mode(of path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }
}
