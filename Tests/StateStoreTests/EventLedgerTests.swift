import Chronology
import Geofencing
import TestSupport
import Testing

@testable import SQLite
@testable import StateStore

@Suite struct EventLedgerTests {
    private let scratch: Scratch
    private let store: MonitorStore
    private let monitor: MonitorID
    private let ids: [ConditionID]
    private let ledger: EventLedger

    init() throws {
        scratch = try Scratch()
        (store, monitor) = try Samples.store(scratch)
        ids = try store.add((0..<3).map { NewCondition("\($0)", Samples.circle($0)) }, to: monitor).map(\.id)
        ledger = EventLedger(store.events)
    }

    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    private func append(_ events: ConditionEvent..., seconds: Double) -> Set<MonitorID> {
        ledger.append(
            events, recorded: UTCTime(milliseconds: Samples.now.milliseconds + Int64(seconds * 1000)), at: at(seconds))
    }

    private var margins: [Double?] {
        get throws {
            let select = try store.database.prepare("SELECT margin FROM event ORDER BY sequence", for: "trying")
            var all: [Double?] = []
            while try select.step() { all.append(select.realIfAny(0)) }
            return all
        }
    }

    @Test func `a written event is published immediately`() throws {
        #expect(append(Samples.event(ids[0]), seconds: 1) == [monitor])
        #expect(ledger.bufferedCount == 0 && ledger.writeError == nil && ledger.deadline == nil)
    }

    @Test func `nothing is written without events`() {
        let log = bytes(of: scratch("sextant.db-wal"))
        #expect(ledger.append([], recorded: Samples.now, at: at(1)) == [])
        #expect(ledger.retry(at: at(2)) == [])
        #expect(bytes(of: scratch("sextant.db-wal")) == log)
    }

    @Test func `events are buffered and unpublished while writes fail`() throws {
        try blockWrites()
        #expect(append(Samples.event(ids[0], margin: 1), seconds: 1) == [])
        #expect(ledger.bufferedCount == 1)
        #expect(ledger.writeError?.kind == .unwritable)
        #expect(ledger.deadline == at(6))
        #expect(append(Samples.event(ids[1], margin: 2), seconds: 3) == [])
        #expect(ledger.deadline == at(6), "between attempts nothing is tried")
        #expect(ledger.retry(at: at(6)) == [])
        #expect(ledger.deadline == at(16), "attempts come more rarely")
        #expect(try store.events.deliverableEvents(of: monitor, limit: 9).isEmpty)

        try allowWrites()
        #expect(ledger.retry(at: at(16)) == [monitor])
        #expect(ledger.bufferedCount == 0 && ledger.writeError == nil && ledger.deadline == nil)
        #expect(try margins == [1, 2])
        let recorded = try store.events.deliverableEvents(of: monitor, limit: 9).map {
            $0.recorded.milliseconds - Samples.now.milliseconds
        }
        #expect(recorded == [1000, 3000], "they were found out when they were")
    }

    @Test func `write attempts are at most five minutes apart`() throws {
        try blockWrites()
        _ = append(Samples.event(ids[0]), seconds: 0)
        for _ in 0..<20 { _ = ledger.retry(at: ledger.deadline ?? .zero) }
        let before = ledger.deadline ?? .zero
        _ = ledger.retry(at: before)
        #expect((ledger.deadline ?? .zero) - before == .seconds(300))
    }

    @Test func `a buffered state does not overwrite a later event`() throws {
        try blockWrites()
        let inside = StoredConditionState(state: .satisfied, since: Samples.now)
        _ = ledger.append([], snapshots: [(ids[0], inside), (ids[1], inside)], recorded: Samples.now, at: at(1))
        _ = append(Samples.event(ids[1], .left, .unsatisfied), seconds: 2)
        try allowWrites()
        #expect(ledger.retry(at: at(60)) == [monitor])
        #expect(try store.record(for: "0", of: monitor)?.snapshot == inside)
        #expect(
            try store.record(for: "1", of: monitor)?.snapshot.state == .unsatisfied, "the event is later than the state"
        )
    }

    @Test func `the buffer is bounded and folded events are counted`() throws {
        try blockWrites()
        let turns = EventLedger.maxBufferedEvents + 100
        for number in 0..<turns {
            _ = append(
                Samples.event(
                    ids[0], number.isMultiple(of: 2) ? .entered : .left,
                    number.isMultiple(of: 2) ? .satisfied : .unsatisfied),
                seconds: 1)
            if ledger.bufferedCount > EventLedger.maxBufferedEvents {
                Issue.record("\(ledger.bufferedCount) events are held")
            }
        }
        try allowWrites()
        #expect(ledger.retry(at: at(60)) == [monitor])
        #expect(ledger.droppedCount == 0)
        let (count, folded) =
            try store.database.prepare("SELECT count(*), sum(folded) FROM event", for: "trying")
            .first { (Int($0.integer(0)), Int($0.integer(1))) } ?? (0, 0)
        #expect(count + folded == turns)
        #expect(try store.record(for: "0", of: monitor)?.snapshot.state == .unsatisfied)
    }

    @Test func `lost events are counted`() throws {
        try blockWrites()
        let many = (0..<EventLedger.maxBufferedEvents + 5).map {
            ConditionEvent(ConditionID(Int64($0 + 10)), kind: .entered, state: .satisfied)
        }
        _ = ledger.append(many, recorded: Samples.now, at: at(1))
        #expect(ledger.bufferedCount <= EventLedger.maxBufferedEvents)
        #expect(ledger.bufferedCount + ledger.droppedCount == many.count)
    }

    @Test func `lost events include those that were folded into them`() throws {
        try blockWrites()
        let flaps = (0..<10).map {
            $0.isMultiple(of: 2) ? Samples.event(ids[0]) : Samples.event(ids[0], .left, .unsatisfied)
        }
        let others = (0..<EventLedger.maxBufferedEvents + 20).map {
            ConditionEvent(ConditionID(Int64($0 + 10)), kind: .entered, state: .satisfied)
        }
        _ = ledger.append(flaps + others, recorded: Samples.now, at: at(1))
        #expect(ledger.droppedCount > 0)
        #expect(ledger.bufferedCount + ledger.droppedCount == flaps.count + others.count)
    }

    /// Their sync has failed, and the database was opened again.
    @Test(arguments: 0...2)
    func `events that a failed write has stored are not written again`(acknowledged: Int) throws {
        let left = Samples.event(ids[0], .left, .unsatisfied, margin: 2)
        let events = [Samples.event(ids[0], margin: 1), left, Samples.event(ids[1], margin: 3)]
            .map { UnsavedEvent($0, recorded: Samples.now) }
        _ = try store.events.append(Array(events.prefix(2)), snapshots: [])
        for sequence in 0..<acknowledged { _ = try store.events.acknowledge([Int64(sequence + 1)], of: monitor) }
        #expect(try store.events.append(events, snapshots: [], mayBeStored: true) == [monitor])
        #expect(try margins == Array([1, 2, 3].dropFirst(acknowledged)))
    }

    @Test func `buffered events of a removed condition are discarded`() throws {
        try blockWrites()
        _ = append(Samples.event(ids[0]), Samples.event(ids[1]), seconds: 1)
        try allowWrites()
        _ = try store.remove(["0"], from: monitor)
        #expect(ledger.retry(at: at(60)) == [monitor])
        #expect(try store.events.deliverableEvents(of: monitor, limit: 9).map(\.identifier) == ["1"])
    }

    @Test func `a database that stays closed does not let the buffer grow`() {
        ledger.suspend(because: StoreError("opening", reason: "failed", code: 10), until: at(5))
        let events = (0...EventLedger.maxBufferedEvents).map { Samples.event(ids[$0 % 3]) }
        for seconds in [1.0, 6] {
            #expect(ledger.append(events, recorded: Samples.now, at: at(seconds)) == [])
            #expect(ledger.bufferedCount <= EventLedger.maxBufferedEvents)
        }
    }

    /// Makes every write fail, as on a file system that has become read-only.
    private func blockWrites() throws {
        try store.database.execute("PRAGMA query_only=1", for: "trying")
    }

    private func allowWrites() throws {
        try store.database.execute("PRAGMA query_only=0", for: "trying")
    }
}
