import Chronology
import Geofencing
import Positioning
import TestSupport
import Testing

@testable import SQLite
@testable import StateStore

@Suite struct EventTests {
    private let scratch: Scratch
    private let store: MonitorStore
    private let monitor: MonitorID
    private let ids: [ConditionID]

    init() throws {
        scratch = try Scratch()
        (store, monitor) = try Samples.store(scratch)
        ids = try store.add((0..<3).map { NewCondition("\($0)", Samples.circle($0)) }, to: monitor).map(\.id)
    }

    private func append(_ events: ConditionEvent...) throws {
        #expect(try store.events.append(events, recorded: Samples.now) == [monitor])
    }

    private func waiting() throws -> [Int64] {
        try store.events.deliverableEvents(of: monitor, limit: 100).map(\.sequence)
    }

    @Test func `an event is stored with all its fields`() throws {
        try append(Samples.event(ids[1]))
        let event = try #require(try store.events.deliverableEvents(of: monitor, limit: 1).first)
        #expect(event == StoredEvent(sequence: 1, identifier: "1", event: Samples.event(ids[1]), recorded: Samples.now))
    }

    @Test func `a position that is not simulated stays so`() throws {
        var event = Samples.event(ids[0])
        event.location?.isSimulated = false
        try append(event)
        #expect(try store.events.deliverableEvents(of: monitor, limit: 1).first?.event == event)
    }

    @Test func `missing fields stay missing`() throws {
        let bare = ConditionEvent(ids[0], kind: .expired, state: .unmonitored)
        try append(bare)
        #expect(try store.events.deliverableEvents(of: monitor, limit: 1).first?.event == bare)
    }

    @Test func `every event kind and state is stored`() throws {
        var made: [ConditionEvent] = []
        for kind in ConditionEvent.Kind.allCases {
            for state in ConditionState.allCases { made.append(Samples.event(ids[0], kind, state)) }
        }
        for event in made {
            try append(event)
            let back = try #require(try store.events.deliverableEvents(of: monitor, limit: 1).first)
            #expect(back.event == event)
            #expect(try store.events.acknowledge([back.sequence], of: monitor).count == 1)
        }
    }

    @Test func `one event per condition is outstanding at a time`() throws {
        try append(
            Samples.event(ids[0]), Samples.event(ids[1]), Samples.event(ids[0], .left, .unsatisfied),
            Samples.event(ids[2]))
        #expect(try waiting() == [1, 2, 4])
        #expect(try store.events.acknowledge([3], of: monitor).count == 0, "what is not out cannot be acknowledged")
        let done = try store.events.acknowledge([1], of: monitor)
        #expect(done.count == 1)
        #expect(done.next.map(\.sequence) == [3])
        #expect(try waiting() == [2, 3, 4])
        #expect(try store.events.deliverableEvents(of: monitor, after: 2, limit: 1).map(\.sequence) == [3])
    }

    @Test func `repeated acknowledgements count once`() throws {
        try append(Samples.event(ids[0]), Samples.event(ids[0], .left, .unsatisfied))
        #expect(try store.events.acknowledge([1, 1, 77, -5], of: monitor).count == 1)
        let again = try store.events.acknowledge([1], of: monitor)
        #expect(again.count == 0 && again.next.isEmpty)
        #expect(try waiting() == [2])
        try append(Samples.event(ids[1]), Samples.event(ids[2]))
        let many = [4, 3] + Array(Int64(100)...9000)
        #expect(try store.events.acknowledge(many, of: monitor).count == 2, "the others do not exist")
    }

    @Test func `the last acknowledged event stays in the record`() throws {
        try append(Samples.event(ids[0]), Samples.event(ids[0], .left, .unsatisfied), Samples.event(ids[0]))
        #expect(try store.record(for: "0", of: monitor)?.lastAcknowledged == nil)
        _ = try store.events.acknowledge([1], of: monitor)
        _ = try store.events.acknowledge([2], of: monitor)
        let record = try #require(try store.record(for: "0", of: monitor))
        #expect(record.lastAcknowledged?.sequence == 2)
        #expect(record.lastAcknowledged?.event.kind == .left)
        #expect(record.nextEvent?.sequence == 3)
        #expect(record.furtherPending == 0)
    }

    @Test func `sequence numbers continue after all events are acknowledged`() throws {
        try append(Samples.event(ids[0]))
        _ = try store.events.acknowledge([1], of: monitor)
        try append(Samples.event(ids[0]))
        #expect(try waiting() == [2])
    }

    @Test func `the state follows the last event`() throws {
        let later = UTCTime(milliseconds: Samples.now.milliseconds + 60_000)
        func snapshot() throws -> StoredConditionState? { try store.record(for: "0", of: monitor)?.snapshot }
        try append(Samples.event(ids[0]))
        #expect(try snapshot() == StoredConditionState(state: .satisfied, since: Samples.now))
        try append(ConditionEvent(ids[0], kind: .dwelt, state: .satisfied, date: later))
        #expect(try snapshot() == StoredConditionState(state: .satisfied, since: Samples.now, hasDwelt: true))
        try append(ConditionEvent(ids[0], kind: .left, state: .unsatisfied, date: later))
        #expect(try snapshot()?.state == .unsatisfied)
        try append(ConditionEvent(ids[0], kind: .retracted, state: .satisfied, date: Samples.now))
        #expect(
            try snapshot() == StoredConditionState(state: .satisfied, since: Samples.now, hasDwelt: true),
            "it had not left")
        try append(
            ConditionEvent(ids[0], kind: .left, state: .unsatisfied, date: later),
            ConditionEvent(ids[0], kind: .entered, state: .satisfied, date: later))
        #expect(try snapshot() == StoredConditionState(state: .satisfied, since: later))
    }

    @Test func `a monitor cannot acknowledge events of another`() throws {
        let other = try store.openMonitor("other", of: Samples.program)
        try append(Samples.event(ids[0]))
        #expect(try store.events.acknowledge([1], of: other).count == 0)
        #expect(try waiting() == [1])
    }

    @Test func `an event and its acknowledgement write few pages`() throws {
        func pages() -> Int { bytes(of: scratch("sextant.db-wal")).count / (4096 + 24) }
        try append(Samples.event(ids[0]))
        let before = pages()
        try append(Samples.event(ids[1]))
        let between = pages()
        _ = try store.events.acknowledge([2], of: monitor)
        #expect(between - before == 4, "event, its index, its condition, its monitor")
        #expect(pages() - between == 3, "event, its index, handled")
    }

    @Test func `events beyond the limit are folded and counted`() throws {
        let (flaps, bound) = (600, 400)
        let store = MonitorStore(store.database, maxPending: bound)
        for start in stride(from: 0, to: flaps, by: 10) {
            let batch = (start..<start + 10).map { number in
                number.isMultiple(of: 2) ? Samples.event(ids[0]) : Samples.event(ids[0], .left, .unsatisfied)
            }
            _ = try store.events.append(batch + (start == 300 ? [Samples.event(ids[1])] : []), recorded: Samples.now)
            #expect(try store.monitors()[0].pending <= bound)
        }
        var seen: [StoredEvent] = []
        var queue = try store.events.deliverableEvents(of: monitor, limit: 10)
        #expect(queue.map(\.event.condition) == [ids[0], ids[1]])
        while !queue.isEmpty {
            seen.append(queue.removeFirst())
            queue += try store.events.acknowledge([seen[seen.count - 1].sequence], of: monitor).next
        }
        let flapping = seen.filter { $0.event.condition == ids[0] }
        #expect(seen.count == flapping.count + 1)
        #expect(flapping.count + flapping.reduce(0) { $0 + $1.folded } == flaps, "what was folded is counted")
        #expect(
            zip(flapping, flapping.dropFirst()).allSatisfy {
                $0.event.state != $1.event.state && $0.sequence < $1.sequence
            })
        #expect(flapping.last?.event.state == .unsatisfied && flapping.last?.sequence == 601)
    }

    @Test func `events of all monitors of a user are folded beyond the user's limit`() throws {
        let limit = 400
        let store = MonitorStore(store.database, maxPendingPerUser: limit)
        let programs = ["1000:a.service", "1000:b.service", "1000", "1001"]
        let conditions = try programs.map { program in
            try store.add(
                [NewCondition("c", Samples.circle(1))], to: try store.openMonitor("m", of: program)
            )[0].id
        }
        for number in 0..<150 {
            let batch = conditions.map {
                number.isMultiple(of: 2) ? Samples.event($0) : Samples.event($0, .left, .unsatisfied)
            }
            _ = try store.events.append(batch, recorded: Samples.now)
            #expect(try store.monitors(ofUser: 1000).reduce(0) { $0 + $1.pending } <= limit)
        }
        #expect(try store.monitors(ofUser: 1001).map(\.pending) == [150], "another user has a limit of its own")
        let (count, folded) =
            try store.database.prepare("SELECT count(*), sum(folded) FROM event", for: "trying")
            .first { (Int($0.integer(0)), Int($0.integer(1))) } ?? (0, 0)
        #expect(count + folded == 600, "folded events are counted")
    }

    @Test func `the limit per user does not apply to the administrator`() throws {
        let store = MonitorStore(store.database, maxPendingPerUser: 40)
        let own = try store.openMonitor("m", of: "0:a.service")
        let other = try store.openMonitor("m", of: "1000")
        let conditions = try [own, other].map { try store.add([NewCondition("c", Samples.circle(1))], to: $0)[0].id }
        func cross(_ condition: ConditionID, _ count: Int) throws {
            for number in 0..<count {
                let event =
                    number.isMultiple(of: 2)
                    ? Samples.event(condition) : Samples.event(condition, .left, .unsatisfied)
                _ = try store.events.append([event], recorded: Samples.now)
            }
        }
        try cross(conditions[0], 60)
        #expect(try store.monitors(ofUser: 0).map(\.pending) == [60])
        // Events of a deleted monitor count for nobody.
        try store.delete(other)
        try cross(conditions[1], 30)
        #expect(try store.monitors(ofUser: 0).map(\.pending) == [60])
    }
}
