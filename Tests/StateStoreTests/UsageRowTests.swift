import Chronology
import SQLite
import StateStore
import TestSupport
import Testing

@Suite("What was spent, on the disk")
struct UsageTableTests {
    private let now = UTCTime(milliseconds: 1_795_262_400_000)

    private func row(_ day: Int, _ name: String, _ joules: Double) -> UsageRow {
        UsageRow(day: day, receiver: "gps", kind: "default", name: name, seconds: 0.5, joules: joules, count: 3)
    }

    @Test
    func `saving replaces whole days and deletes the oldest`() throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("sextant.db"))
        let rows = [row(100, "a", 1), row(100, "b", 2), row(101, "a", 3)]
        try file.open(at: now).database.replaceUsage(with: rows, keepingDays: 60)
        #expect(try file.open(at: now).database.usage(of: 0...1000) == rows)
        let more = [row(101, "a b é", 4), row(160, "a", 5)]
        try file.open(at: now).database.replaceUsage(with: more, keepingDays: 2)
        #expect(try file.open(at: now).database.usage(of: 0...1000) == more)
        #expect(try file.open(at: now).database.usage(of: 102...159) == [])
    }

    @Test(arguments: [3, 24_000])
    func `a day of a wrong clock deletes no day that is kept`(wrong: Int) throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("sextant.db"))
        let rows = (20_780..<20_810).map { row($0, "a", 1) }
        try file.open(at: now).database.replaceUsage(with: rows, keepingDays: 60)
        try file.open(at: now).database.replaceUsage(with: [row(wrong, "a", 1)], keepingDays: 60)
        #expect(try file.open(at: now).database.usage(of: 20_780...20_809) == rows)
    }
}
