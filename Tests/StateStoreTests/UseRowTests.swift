import Chronology
import TestSupport
import Testing

@testable import SQLite
@testable import StateStore

@Suite("The record of use on the disk")
struct UseRowTests {
    private let now = UTCTime(milliseconds: 1_795_262_400_000)

    private func row(
        _ number: Int64, user: UInt32 = 1000, began: Int64? = 0, duration: Int64 = 10,
        by decidedBy: String = "the default",
        isOpen: Bool = false
    ) -> UseRow {
        UseRow(
            number: number, user: user, program: "\(user):map.service", kind: "stream", accuracy: "full",
            decidedBy: decidedBy, began: began, duration: duration, updates: 7, isOpen: isOpen)
    }

    @Test func `records are read back, newest first, in pages and by program`() throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("sextant.db"))
        let rows = [row(1), row(2, began: nil, isOpen: true), row(3, user: 7), row(4, duration: 99)]
        try UseTable(file.open(at: now).database).save(rows, expiry: nil)
        let table = UseTable(try file.open(at: now).database)
        #expect(try table.rows(.all, limit: 10) == rows.reversed())
        #expect(try table.rows(.all, before: 3, limit: 1) == [rows[1]])
        #expect(try table.rows(.user(1000), limit: 10).map(\.number) == [4, 2, 1])
        #expect(try table.rows(.program("7:map.service"), limit: 10).map(\.number) == [3])
        #expect(try table.rows(.all, since: 50, limit: 10).map(\.number) == [4, 2])
        #expect(try table.lastNumber() == 4)
        let ended = row(2, began: 5, duration: 20)
        try table.save([ended], expiry: nil)
        #expect(try table.rows(.all, limit: 10).map(\.number) == [4, 3, 2, 1])
        #expect(try table.rows(.all, before: 3, limit: 1) == [ended])
    }

    @Test func `the oldest records of a user go first, and no user pushes out another's below the total`() throws {
        let scratch = try Scratch()
        let table = UseTable(try DatabaseFile(path: scratch("sextant.db")).open(at: now).database)
        try table.save([row(1, user: 7)], expiry: nil)
        try table.save((2...2600).map { row($0) }, expiry: nil)
        #expect(try table.rows(.user(1000), limit: 9000).map(\.number) == (601...2600).reversed())
        #expect(try table.rows(.user(7), limit: 9000).map(\.number) == [1])
        for user in UInt32(1)...4 {
            let first = Int64(user) * 10_000
            try table.save((first..<first + 2000).map { row($0, user: user) }, expiry: nil)
        }
        #expect(try table.rows(.all, limit: 9000).count == UseRow.maxCount)
        #expect(try table.rows(.user(7), limit: 9000) == [])
    }

    @Test func `records that ended long ago are deleted, and undated ones before them`() throws {
        let scratch = try Scratch()
        let table = UseTable(try DatabaseFile(path: scratch("sextant.db")).open(at: now).database)
        let rows = [
            row(1, began: nil), row(2, began: 100), row(3, began: nil), row(4, began: 0, duration: 500),
            row(5, began: 150), row(6, began: nil), row(7, began: 300),
        ]
        try table.save(rows, expiry: 200)
        #expect(try table.rows(.all, limit: 9).map(\.number) == [7, 6, 4])
    }

    @Test func `erased records leave no bytes in the file and its log`() throws {
        let scratch = try Scratch()
        let secret = "/etc/sextant/conf.d/very-recognizable"
        let path = scratch("sextant.db")
        let database = try DatabaseFile(path: path).open(at: now).database
        let table = UseTable(database)
        for batch in Int64(0)..<8 {
            try table.save((1...60).map { row(batch * 60 + $0, by: "\(secret)-\($0)") }, expiry: nil)
        }
        // Earlier versions of rows and deleted ones must go too.
        try table.save((1...60).map { row($0, by: "\(secret)-of-another-length-\($0)") }, expiry: nil)
        try table.save([row(1000, by: secret)], expiry: 5)
        try database.checkpoint()
        try table.save([row(1001, began: 50, by: secret)], expiry: nil)
        #expect(Scratch.text(of: path).contains(secret) && Scratch.text(of: path + "-wal").contains(secret))
        #expect(try table.erase() > 0)
        #expect(!Scratch.text(of: path).contains("recognizable"))
        #expect(Scratch.text(of: path + "-wal").isEmpty)
        #expect(try table.rows(.all, limit: 9) == [] && table.erase() == 0)
        try table.save([row(1002)], expiry: nil)
        #expect(try table.rows(.all, limit: 9).map(\.number) == [1002])
    }
}
