import Testing

@testable import Store

@Suite struct UsageTableTests {
    @Test func whatIsAddedAddsUp() throws {
        let scratch = try Scratch()
        let table = UsageTable(try DatabaseFile(path: scratch("sextant.db")).open(at: Samples.now).database)
        let row = UsageRow(day: 20_000, receiver: "ttyACM0", kind: .state, name: "tracking", seconds: 60, joules: 4.5, count: 1)
        let host = UsageRow(day: 20_001, receiver: "", kind: .host, name: "wakeups", count: 7)
        try table.add([row, host, UsageRow(day: 20_001, receiver: "a", kind: .consumer, name: "none")])
        try table.add([row])
        #expect(
            try table.rows(of: 20_000...20_001) == [
                UsageRow(day: 20_000, receiver: "ttyACM0", kind: .state, name: "tracking", seconds: 120, joules: 9, count: 2), host,
            ])
        try table.forget(before: 20_001)
        #expect(try table.rows(of: 0...30_000) == [host])
    }

    @Test func nothingIsNotWritten() throws {
        let scratch = try Scratch()
        let table = UsageTable(try DatabaseFile(path: scratch("sextant.db")).open(at: Samples.now).database)
        let log = bytes(of: scratch("sextant.db-wal"))
        try table.add([UsageRow(day: 1, receiver: "a", kind: .state, name: "closed")])
        #expect(bytes(of: scratch("sextant.db-wal")) == log)
    }
}
