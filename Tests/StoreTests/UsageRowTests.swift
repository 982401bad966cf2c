import Chronology
import Store
import TestSupport
import Testing

@Suite("What was spent, on the disk")
struct UsageTableTests {
    private let now = UTCTime(milliseconds: 1_795_262_400_000)

    private func row(_ day: Int, _ name: String, _ joules: Double) -> UsageRow {
        UsageRow(day: day, receiver: "gps", kind: "default", name: name, seconds: 0.5, joules: joules, count: 3)
    }

    @Test
    func `saving replaces whole days and drops those not kept`() throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("sextant.db"))
        let rows = [row(100, "a", 1), row(100, "b", 2), row(101, "a", 3)]
        try file.open(at: now).database.replaceUsage(with: rows, keeping: 42...101)
        #expect(try file.open(at: now).database.usage(of: 0...1000) == rows)
        let more = [row(101, "a b é", 4), row(160, "a", 5), row(99_999, "a", 6)]
        try file.open(at: now).database.replaceUsage(with: more, keeping: 101...160)
        #expect(try file.open(at: now).database.usage(of: 0...1000) == Array(more.prefix(2)))
        #expect(try file.open(at: now).database.usage(of: 102...159) == [])
    }
}
