import Chronology
import Geofencing
import Glibc
import Testing

@testable import EventScribe
@testable import Store

@Suite struct KillTests {
    /// What a scribe has told of before it was killed.
    private struct Told {
        var written: Int64 = 0
        var acknowledged: Set<Int64> = []
    }

    @Test func killedAtAnyInstantNothingToldIsLostAndNothingIsInvented() throws {
        let scratch = try Scratch()
        let path = scratch("sextant.db")
        var chance = Chance(11)
        var told = Told()
        let kills = 200
        var total: Int64 = 0
        for round in 0..<kills {
            if round.isMultiple(of: 20) {
                // From nothing again: also the making of tables may be cut short.
                for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
                told = Told()
            }
            let before = told.written
            let scribe = try Child([Child.scribe(), "write", path, "\(round + 1)"])
            var words: [UInt8] = []
            let lines = Int.random(in: 0...10, using: &chance)
            while words.count(where: { $0 == 10 }) < lines, case let more = scribe.read(), !more.isEmpty { words += more }
            for _ in 0..<Int.random(in: 0..<2000, using: &chance) { sched_yield() }
            scribe.destroy()
            words += scribe.readAll()
            listen(to: words, &told)
            total += told.written - before
            // The next life goes on from what this one has written and could not tell any more.
            told.written = try judge(path, told, round)
        }
        #expect(total > kills, "\(total) events in \(kills) lives")
        print("kill: \(kills) kills, \(total) events told of, none lost, none invented")
    }

    private func listen(to words: [UInt8], _ told: inout Told) {
        // The last line may be torn.
        for line in String(decoding: words, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            guard let number = Int64(line.dropFirst(2)) else { continue }
            if line.hasPrefix("n ") { told.written = max(told.written, number) } else { told.acknowledged.insert(number) }
        }
    }

    /// - Returns: how many events are written.
    private func judge(_ path: String, _ told: Told, _ round: Int) throws -> Int64 {
        let (database, setAside) = try DatabaseFile(path: path).open(at: Drawn.now)
        #expect(setAside == nil)
        let store = MonitorStore(database)
        guard let monitor = try store.monitor(Drawn.monitor, of: Drawn.program) else {
            #expect(told.written == 0)
            return 0
        }
        let ids = try store.conditions(of: monitor)
        guard !ids.isEmpty else {
            #expect(told.written == 0)
            return 0
        }
        let last = try Drawn.lastSequence(of: monitor, in: store)
        // At most one turn of three events was written and not told of.
        #expect((told.written...told.written + 3).contains(last), "round \(round)")

        var handled: [Int64: Int64] = [:]
        let select = try database.prepare("SELECT condition, sequence FROM handled", "judging")
        while try select.step() { handled[select.integer(0)] = select.integer(1) }
        var waiting: Set<Int64> = []
        var before: Int64 = 0
        for event in try all(database) {
            if event.sequence <= before || event.sequence > last { Issue.record("round \(round): event \(event.sequence) is out of order") }
            if event.event != Drawn.event(event.sequence, ids) { Issue.record("round \(round): event \(event.sequence) was invented") }
            before = event.sequence
            waiting.insert(event.sequence)
        }
        for sequence in stride(from: Int64(1), through: last, by: 1) {
            let condition = ids[Int(sequence % Int64(ids.count))].rawValue
            let isDone = sequence <= handled[condition] ?? 0
            if isDone == waiting.contains(sequence) {
                Issue.record("round \(round): event \(sequence) is lost, or there though it is done")
            }
        }
        #expect(waiting.isDisjoint(with: told.acknowledged), "round \(round): what was acknowledged has come back")
        for (condition, standing) in zip(ids, try standings(database)) {
            let newest = stride(from: last, to: 0, by: -1).first { ids[Int($0 % Int64(ids.count))] == condition }
            #expect(standing == newest.map { Drawn.event($0, ids).state } ?? .unknown)
        }
        return last
    }

    private func all(_ database: Database) throws -> [StoredEvent] {
        let select = try database.prepare(
            "SELECT sequence, condition, '', \(EventColumns.names) FROM event ORDER BY monitor, sequence", "judging")
        var events: [StoredEvent] = []
        while try select.step() { events.append(try EventColumns.event(select)) }
        return events
    }

    private func standings(_ database: Database) throws -> [ConditionState] {
        var states: [ConditionState] = []
        _ = try MonitorStore(database).forEachCondition { states.append($0.standing.state) }
        return states
    }
}
