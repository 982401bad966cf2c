import Chronology
import Geofencing
import Glibc
import TestSupport
import Testing

@testable import EventScribe
@testable import SQLite
@testable import StateStore

@Suite struct KillTests {
    /// The events that the writer reported before it was killed.
    private struct Reported {
        var written: Int64 = 0
        var acknowledged: Set<Int64> = []
    }

    @Test func `a killed writer neither loses nor invents events`() throws {
        let scratch = try Scratch()
        let path = scratch("sextant.db")
        var chance = SeededGenerator(seed: 11)
        var reported = Reported()
        let kills = 200
        var total: Int64 = 0
        for round in 0..<kills {
            if round.isMultiple(of: 20) {
                // Start with no database again, so that table creation may also be interrupted.
                for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
                reported = Reported()
            }
            let before = reported.written
            let scribe = try Child([Child.scribe(), "write", path, "\(round + 1)"])
            var line: [UInt8] = []
            let lines = Int.random(in: 0...10, using: &chance)
            while line.count(where: { $0 == 10 }) < lines, case let more = scribe.read(), !more.isEmpty {
                line += more
            }
            for _ in 0..<Int.random(in: 0..<2000, using: &chance) { sched_yield() }
            scribe.destroy()
            line += scribe.readAll()
            record(line, in: &reported)
            total += reported.written - before
            // The next run continues after the events that this run wrote but could not report.
            reported.written = try check(path, reported: reported, round: round)
        }
        #expect(total > kills, "\(total) events in \(kills) runs")
        print("kill: \(kills) kills, \(total) events reported, none lost, none invented")
    }

    private func record(_ line: [UInt8], in reported: inout Reported) {
        // The last line may be incomplete.
        for line in String(decoding: line, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast()
        {
            guard let number = Int64(line.dropFirst(2)) else { continue }
            if line.hasPrefix("n ") {
                reported.written = max(reported.written, number)
            } else {
                reported.acknowledged.insert(number)
            }
        }
    }

    /// Checks the database against the reported events.
    ///
    /// - Returns: the number of written events.
    private func check(_ path: String, reported: Reported, round: Int) throws -> Int64 {
        let (database, movedAside) = try DatabaseFile(path: path).open(at: SyntheticEvents.now)
        #expect(movedAside == nil)
        let store = MonitorStore(database)
        guard let monitor = try store.monitor(SyntheticEvents.monitor, of: SyntheticEvents.program) else {
            #expect(reported.written == 0)
            return 0
        }
        let ids = try store.conditions(of: monitor)
        guard !ids.isEmpty else {
            #expect(reported.written == 0)
            return 0
        }
        let last = try SyntheticEvents.lastSequence(of: monitor, in: store)
        // At most one batch of three events was written and not reported.
        #expect((reported.written...reported.written + 3).contains(last), "round \(round)")

        var handled: [Int64: Int64] = [:]
        let select = try database.prepare("SELECT condition, sequence FROM handled", for: "checking")
        while try select.step() { handled[select.integer(0)] = select.integer(1) }
        var waiting: Set<Int64> = []
        var before: Int64 = 0
        for event in try all(database) {
            if event.sequence <= before || event.sequence > last {
                Issue.record("round \(round): event \(event.sequence) is out of order")
            }
            if event.event != SyntheticEvents.event(event.sequence, ids: ids) {
                Issue.record("round \(round): event \(event.sequence) was invented")
            }
            before = event.sequence
            waiting.insert(event.sequence)
        }
        for sequence in stride(from: Int64(1), through: last, by: 1) {
            let condition = ids[Int(sequence % Int64(ids.count))].rawValue
            let isDone = sequence <= handled[condition] ?? 0
            if isDone == waiting.contains(sequence) {
                Issue.record("round \(round): event \(sequence) is lost, or pending though it was acknowledged")
            }
        }
        #expect(
            waiting.isDisjoint(with: reported.acknowledged), "round \(round): an acknowledged event is pending again")
        for (condition, snapshot) in zip(ids, try snapshots(database)) {
            let newest = stride(from: last, to: 0, by: -1).first { ids[Int($0 % Int64(ids.count))] == condition }
            #expect(snapshot == newest.map { SyntheticEvents.event($0, ids: ids).state } ?? .unknown)
        }
        return last
    }

    private func all(_ database: Database) throws -> [StoredEvent] {
        let select = try database.prepare(
            "SELECT sequence, condition, '', \(EventColumns.names) FROM event ORDER BY monitor, sequence",
            for: "checking")
        var events: [StoredEvent] = []
        while try select.step() { events.append(try EventColumns.event(select)) }
        return events
    }

    private func snapshots(_ database: Database) throws -> [ConditionState] {
        let store = MonitorStore(database)
        return try store.selection.unexpired(
            of: SyntheticEvents.program, after: ConditionOrdinal(0), limit: SyntheticEvents.conditions.count
        )
        .map(\.snapshot.state)
    }
}
