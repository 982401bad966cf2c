import Chronology
import Geofencing
import TestSupport
import Testing

@testable import SQLite
@testable import StateStore

@Suite struct MonitorStoreTests {
    @Test func `a monitor is identified by program and name`() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        #expect(try store.openMonitor("home", of: Samples.program) == monitor)
        #expect(try store.openMonitor("home", of: "1001:other") != monitor)
        #expect(try store.monitor("away", of: Samples.program) == nil)
        #expect(try store.monitors().map(\.program) == [Samples.program, "1001:other"])
        #expect(try store.monitors(ofUser: 1001).map(\.program) == ["1001:other"])
    }

    @Test func `conditions survive a restart`() throws {
        let scratch = try Scratch()
        var condition = Samples.circle()
        condition.assuming = .unsatisfied
        condition.dwell = .seconds(90.5)
        condition.expiry = Samples.now
        let new = NewCondition("gate", condition, metadata: #"{"a":[1,"ü"]}"#)
        var ids: [ConditionID] = []
        do {
            let (store, monitor) = try Samples.store(scratch)
            ids = try store.add([new], to: monitor).map(\.id)
        }
        let (store, monitor) = try Samples.store(scratch)
        let record = try #require(try store.record(for: "gate", of: monitor))
        #expect(record.added == new)
        #expect([record.id] == ids)
        #expect(record.snapshot == StoredConditionState())
        #expect(
            try store.selection.unexpired(of: Samples.program, after: ConditionOrdinal(0), limit: 10) == [
                SelectedCondition(
                    id: ids[0], ordinal: ConditionOrdinal(ids[0].rawValue), monitor: monitor, condition: condition,
                    snapshot: StoredConditionState())
            ])
        #expect(try store.record(for: "Gate", of: monitor) == nil)
    }

    @Test func `adding the same conditions again writes nothing`() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let batch = (0..<20).map { NewCondition("\($0)", Samples.circle($0)) }
        let first = try store.add(batch, to: monitor)
        _ = try store.events.append([Samples.event(first[3].id)], recorded: Samples.now)
        let log = bytes(of: scratch("sextant.db-wal"))
        #expect(try store.add(batch, to: monitor) == first.map { .unchanged($0.id) })
        #expect(bytes(of: scratch("sextant.db-wal")) == log)
        #expect(try store.events.deliverableEvents(of: monitor, limit: 9).count == 1)
    }

    @Test func `changed metadata replaces only the metadata`() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let id = try store.add([NewCondition("a", Samples.circle(), metadata: "1")], to: monitor)[0].id
        _ = try store.events.append([Samples.event(id)], recorded: Samples.now)
        #expect(try store.add([NewCondition("a", Samples.circle(), metadata: "2")], to: monitor) == [.unchanged(id)])
        let record = try #require(try store.record(for: "a", of: monitor))
        #expect(record.added.metadata == "2")
        #expect(record.nextEvent?.event == Samples.event(id))
    }

    @Test func `a changed condition replaces the old one and discards its events`() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let old = try store.add([NewCondition("a", Samples.circle(1))], to: monitor)[0].id
        _ = try store.events.append(
            [Samples.event(old), Samples.event(old, .left, .unsatisfied)], recorded: Samples.now)
        _ = try store.events.acknowledge([1], of: monitor)
        let additions = try store.add([NewCondition("a", Samples.circle(2))], to: monitor)
        let new = additions[0].id
        #expect(additions == [.replaced(old, new)])
        #expect(new > old)
        #expect(try store.events.deliverableEvents(of: monitor, limit: 9).isEmpty)
        let record = try #require(try store.record(for: "a", of: monitor))
        #expect(record.lastAcknowledged == nil && record.nextEvent == nil)
        #expect(
            try store.events.append([Samples.event(old)], recorded: Samples.now) == [],
            "an event of what is gone is nobody's")
    }

    @Test func `a replacement keeps its place among the conditions of the program`() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let batch = ["a", "b", "c"].map { NewCondition($0, Samples.circle()) }
        let ids = try store.add(batch, to: monitor).map(\.id)
        for radius in [2, 3] {
            let new = try store.add([NewCondition("a", Samples.circle(radius))], to: monitor)[0].id
            let watched = try store.selection.unexpired(of: Samples.program, after: ConditionOrdinal(0), limit: 9)
            #expect(watched.map(\.id) == [new, ids[1], ids[2]])
            #expect(try store.selection.ordinals(of: [new])[new] == ConditionOrdinal(ids[0].rawValue))
            #expect(try store.record(for: "a", of: monitor)?.ordinal == ConditionOrdinal(ids[0].rawValue))
        }
        #expect(try store.selection.unexpiredCount(of: Samples.program, upTo: ConditionOrdinal(ids[0].rawValue)) == 1)
        #expect(try store.selection.unexpiredCount(of: Samples.program, after: ConditionOrdinal(ids[0].rawValue)) == 2)
        #expect(try store.selection.unmonitoredCount(of: monitor, after: ConditionOrdinal(ids[1].rawValue)) == 1)
        #expect(try store.selection.ordinals(of: [ids[0]])[ids[0]] == nil)
    }

    @Test func `a replacement of an expired condition comes last`() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let ids = try store.add(["a", "b"].map { NewCondition($0, Samples.circle()) }, to: monitor).map(\.id)
        _ = try store.events.append([Samples.event(ids[0], .expired, .unmonitored)], recorded: Samples.now)
        let new = try store.add([NewCondition("a", Samples.circle(2))], to: monitor)[0].id
        let watched = try store.selection.unexpired(of: Samples.program, after: ConditionOrdinal(0), limit: 9)
        #expect(watched.map(\.id) == [ids[1], new])
        #expect(try store.selection.ordinals(of: [new])[new] == ConditionOrdinal(new.rawValue))
    }

    @Test func `row identifiers are never reused`() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        var seen: Set<ConditionID> = []
        for _ in 0..<5 {
            let ids = try store.add(
                [NewCondition("a", Samples.circle()), NewCondition("b", Samples.circle())], to: monitor
            ).map(\.id)
            #expect(seen.isDisjoint(with: ids))
            seen.formUnion(ids)
            let many = (0..<9000).map { "none \($0)" }
            #expect(try store.remove(["a", "b", "c", "a"] + many, from: monitor) == ids)
        }
        let first = try store.openMonitor("other", of: Samples.program)
        try store.delete(first)
        #expect(try store.openMonitor("other", of: Samples.program) > first)
    }

    @Test func `a batch is added completely or not at all`() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let long = String(repeating: "x", count: MonitorStore.maxMetadata + 1)
        let error = #expect(throws: StoreError.self) {
            try store.add(
                [NewCondition("a", Samples.circle()), NewCondition("b", Samples.circle(), metadata: long)], to: monitor)
        }
        #expect(error?.kind == .refused)
        #expect(throws: StoreError.self) { try store.add([NewCondition("a", Samples.circle())], to: MonitorID(99)) }
        #expect(try store.conditionCount(of: Samples.program) == 0)
    }

    @Test func `deleting a monitor deletes its conditions and events`() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let other = try store.openMonitor("other", of: Samples.program)
        let ids = try store.add(
            [NewCondition("a", Samples.circle()), NewCondition("b", Samples.circle())], to: monitor
        ).map(\.id)
        let stays = try store.add([NewCondition("a", Samples.circle())], to: other)[0].id
        _ = try store.events.append([Samples.event(ids[0]), Samples.event(stays)], recorded: Samples.now)
        #expect(try store.conditionCount(of: Samples.program) == 3)
        #expect(try !store.hasDeleted())
        try store.delete(monitor)
        #expect(try store.conditionCount(of: Samples.program) == 1)
        #expect(try store.monitors().map(\.pending) == [1])
        #expect(try store.monitor("home", of: Samples.program) == nil && store.programs() == ["", Samples.program])
        // Its conditions are removed in parts, after a restart too.
        #expect(try store.hasDeleted() && store.conditionCount() == 3)
        #expect(try store.continueDeletion(limit: 1) == [ids[0]])
        #expect(try MonitorStore(store.database).continueDeletion(limit: 2) == [ids[1]])
        #expect(try !store.hasDeleted())
        #expect(try store.continueDeletion(limit: 1).isEmpty)
        #expect(try store.database.integer("SELECT count(*) FROM event", for: "counting") == 1)
    }

    @Test func `records are read in pages`() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let names = ["b", "a", "ä", "Z", "aa", ""]
        _ = try store.add(names.map { NewCondition($0, Samples.circle()) }, to: monitor)
        var found: [String] = []
        while case let page = try store.records(of: monitor, after: found.last, limit: 2).records, !page.isEmpty {
            #expect(page.count <= 2)
            found += page.map(\.added.identifier)
        }
        #expect(found == ["", "Z", "a", "aa", "b", "ä"])
    }

    @Test func `an unreadable condition is omitted and the rest is read`() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let ids = try store.add((0..<3).map { NewCondition("\($0)", Samples.circle($0)) }, to: monitor).map(\.id)
        try store.database.execute("UPDATE condition SET shape = x'0209' WHERE identifier = '1'", for: "trying")
        let read = try store.selection.unexpired(of: Samples.program, after: ConditionOrdinal(0), limit: 10)
        #expect(read.map(\.id) == [ids[0], ids[2]])
        #expect(throws: StoreError.self) { try store.record(for: "1", of: monitor) }
    }

    @Test func `a state without an event is stored`() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let id = try store.add([NewCondition("a", Samples.circle())], to: monitor)[0].id
        let snapshot = StoredConditionState(state: .satisfied, since: Samples.now, hasDwelt: true)
        try store.events.saveStates([(id, snapshot)])
        let log = bytes(of: scratch("sextant.db-wal"))
        try store.events.saveStates([(id, snapshot)])
        #expect(bytes(of: scratch("sextant.db-wal")) == log)
        #expect(try store.record(for: "a", of: monitor)?.snapshot == snapshot)
    }
}

@Suite struct StorageUseTests {
    @Test func `the storage of a user is the same counted and read again`() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        #expect(try store.storageUse(ofUser: 1000).monitors == 1)
        let long = String(repeating: "x", count: 4000)
        let batch = (0..<9).map { NewCondition("c\($0)", Samples.circle($0), metadata: $0 > 4 ? "\"\(long)\"" : nil) }
        _ = try store.add(batch, to: monitor)
        let expected = batch.reduce(StorageUse.recordBytes) { $0 + StorageUse.bytes(of: $1) }
        #expect(try store.storageUse(ofUser: 1000) == StorageUse(monitors: 1, conditions: 9, bytes: expected))
        // Each kind of change.
        let other = try store.openMonitor("other", of: "1000:user:x.service")
        _ = try store.add(batch, to: other)
        _ = try store.add([NewCondition("c1", Samples.circle(50)), NewCondition("c1", Samples.circle(51))], to: other)
        _ = try store.add([NewCondition("c2", Samples.circle(2), metadata: "\"\(long)\"")], to: other)
        _ = try store.remove(["c3", "c3", "c8", "none"], from: other)
        let counted = try store.storageUse(ofUser: 1000)
        let total = try store.conditionCount()
        store.forgetStorageUse()
        #expect(try store.storageUse(ofUser: 1000) == counted && counted.conditions == 16 && counted.monitors == 2)
        #expect(try store.conditionCount() == total && total == 16)
        try store.delete(other)
        while try !store.continueDeletion(limit: 5).isEmpty {}
        #expect(try store.storageUse(ofUser: 1000) == StorageUse(monitors: 1, conditions: 9, bytes: expected))
        #expect(try store.storageUse(ofUser: 1001) == StorageUse())
        #expect(try store.conditionCount() == 9)
    }
}
