import Chronology
import Geofencing
import Testing

@testable import Store

@Suite struct MonitorStoreTests {
    @Test func aMonitorIsFoundAgainByProgramAndName() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        #expect(try store.openMonitor("home", of: Samples.program) == monitor)
        #expect(try store.openMonitor("home", of: "1001:other") != monitor)
        #expect(try store.monitor("away", of: Samples.program) == nil)
        #expect(try store.monitors().map(\.program) == [Samples.program, "1001:other"])
        #expect(try store.monitors(of: "1001:other").count == 1)
    }

    @Test func conditionsOutliveTheProcess() throws {
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
        #expect(record.standing == StoredStanding())
        var watched: [WatchedCondition] = []
        #expect(try store.forEachCondition { watched.append($0) }.isEmpty)
        #expect(watched == [WatchedCondition(id: ids[0], monitor: monitor, condition: condition, standing: StoredStanding())])
        #expect(try store.record(for: "Gate", of: monitor) == nil)
    }

    @Test func theSameAgainChangesNothingAndWritesNothing() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let batch = (0..<20).map { NewCondition("\($0)", Samples.circle($0)) }
        let first = try store.add(batch, to: monitor)
        _ = try store.append([Samples.event(first[3].id)], recorded: Samples.now)
        let log = bytes(of: scratch("sextant.db-wal"))
        #expect(try store.add(batch, to: monitor) == first.map { .kept($0.id) })
        #expect(bytes(of: scratch("sextant.db-wal")) == log)
        #expect(try store.outstanding(of: monitor, limit: 9).count == 1)
    }

    @Test func otherMetadataReplaceTheMetadataAlone() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let id = try store.add([NewCondition("a", Samples.circle(), metadata: "1")], to: monitor)[0].id
        _ = try store.append([Samples.event(id)], recorded: Samples.now)
        #expect(try store.add([NewCondition("a", Samples.circle(), metadata: "2")], to: monitor) == [.kept(id)])
        let record = try #require(try store.record(for: "a", of: monitor))
        #expect(record.added.metadata == "2")
        #expect(record.outstanding?.event == Samples.event(id))
    }

    @Test func anotherOfTheSameIdentifierTakesItsPlaceAndItsEventsGo() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let old = try store.add([NewCondition("a", Samples.circle(1))], to: monitor)[0].id
        _ = try store.append([Samples.event(old), Samples.event(old, .left, .unsatisfied)], recorded: Samples.now)
        _ = try store.acknowledge([1], of: monitor)
        let additions = try store.add([NewCondition("a", Samples.circle(2))], to: monitor)
        let new = additions[0].id
        #expect(additions == [.replaced(old, new)])
        #expect(new > old)
        #expect(try store.outstanding(of: monitor, limit: 9).isEmpty)
        let record = try #require(try store.record(for: "a", of: monitor))
        #expect(record.lastHandled == nil && record.outstanding == nil)
        #expect(try store.append([Samples.event(old)], recorded: Samples.now) == [], "an event of what is gone is nobody's")
    }

    @Test func noRowIsUsedTwice() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        var seen: Set<ConditionID> = []
        for _ in 0..<5 {
            let ids = try store.add([NewCondition("a", Samples.circle()), NewCondition("b", Samples.circle())], to: monitor).map(\.id)
            #expect(seen.isDisjoint(with: ids))
            seen.formUnion(ids)
            #expect(try store.remove(["a", "b", "c", "a"], from: monitor) == ids)
        }
        let first = try store.openMonitor("other", of: Samples.program)
        try store.delete(first)
        #expect(try store.openMonitor("other", of: Samples.program) > first)
    }

    @Test func aBatchIsAddedAsAWholeOrNotAtAll() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let long = String(repeating: "x", count: MonitorStore.mostMetadata + 1)
        let error = #expect(throws: StoreError.self) {
            try store.add([NewCondition("a", Samples.circle()), NewCondition("b", Samples.circle(), metadata: long)], to: monitor)
        }
        #expect(error?.trouble == .refused)
        #expect(throws: StoreError.self) { try store.add([NewCondition("a", Samples.circle())], to: MonitorID(99)) }
        #expect(try store.conditionCount(of: Samples.program) == 0)
    }

    @Test func removingAMonitorRemovesAllThatIsInIt() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let other = try store.openMonitor("other", of: Samples.program)
        let ids = try store.add([NewCondition("a", Samples.circle()), NewCondition("b", Samples.circle())], to: monitor).map(\.id)
        let stays = try store.add([NewCondition("a", Samples.circle())], to: other)[0].id
        _ = try store.append([Samples.event(ids[0]), Samples.event(stays)], recorded: Samples.now)
        #expect(try store.conditionCount(of: Samples.program) == 3)
        #expect(try store.delete(monitor) == ids)
        #expect(try store.conditionCount(of: Samples.program) == 1)
        #expect(try store.monitors().map(\.waiting) == [1])
        #expect(try store.database.integer("SELECT count(*) FROM event", "counting") == 1)
    }

    @Test func recordsAreReadPageByPage() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let names = ["b", "a", "ä", "Z", "aa", ""]
        _ = try store.add(names.map { NewCondition($0, Samples.circle()) }, to: monitor)
        var found: [String] = []
        while case let page = try store.records(of: monitor, after: found.last, limit: 2), !page.isEmpty {
            #expect(page.count <= 2)
            found += page.map(\.added.identifier)
        }
        #expect(found == ["", "Z", "a", "aa", "b", "ä"])
    }

    @Test func whatCannotBeReadIsNamedAndTheRestIsThere() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let ids = try store.add((0..<3).map { NewCondition("\($0)", Samples.circle($0)) }, to: monitor).map(\.id)
        try store.database.execute("UPDATE condition SET shape = x'0209' WHERE identifier = '1'", "trying")
        var count = 0
        let unread = try store.forEachCondition { _ in count += 1 }
        #expect(count == 2)
        #expect(unread.map(\.0) == [ids[1]] && unread.map(\.identifier) == ["1"])
        #expect(throws: StoreError.self) { try store.record(for: "1", of: monitor) }
    }

    @Test func aStateWithoutAnEventIsRemembered() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let id = try store.add([NewCondition("a", Samples.circle())], to: monitor)[0].id
        let standing = StoredStanding(state: .satisfied, since: Samples.now, hasDwelt: true)
        try store.remember([(id, standing)])
        let log = bytes(of: scratch("sextant.db-wal"))
        try store.remember([(id, standing)])
        #expect(bytes(of: scratch("sextant.db-wal")) == log)
        #expect(try store.record(for: "a", of: monitor)?.standing == standing)
    }
}
