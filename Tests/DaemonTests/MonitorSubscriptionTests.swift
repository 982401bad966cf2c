import Chronology
import Geodesy
import Geofencing
import Logging
import Permission
import SQLite
import SextantAPI
import StateStore
import TestSupport
import Testing

@testable import sextantd

/// Tests of what the clients of open monitors are sent, and in which order.
@Suite struct MonitorSubscriptionTests {
    private let scratch: Scratch
    private let registry: MonitorRegistry
    private let now = Instant.zero + .seconds(100)

    init() throws {
        scratch = try Scratch()
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let file = StateDatabase(directory: scratch.path, log: log)
        registry = MonitorRegistry(database: file, limits: MonitorLimits(Settings()), log: log)
    }

    private func key(_ name: String) throws -> MonitorKey {
        MonitorKey(owner: try #require(ProgramID(stored: "1000")), name: name)
    }

    @Test func `clients learn of a device error and of its end`() throws {
        let home = try key("home")
        let center = try #require(Coordinate(latitude: 48, longitude: 11))
        _ = try registry.add(
            [NewCondition("c", FenceCondition(shape: .circle(center: center, radius: 100)))], to: home, at: now)
        #expect(registry.database.saveCalls(at: now))
        let condition = try #require(registry.takeChanges(at: now)?.added.first?.id)
        let first = try registry.open(home, MonitorSubscriptions.Subscription(session: 1, process: 7), at: now)
        #expect(first.conditions == 1 && !first.persistenceUnavailable)
        #expect(
            registry.subscriptions.takeNotified()?.needsStatus == false && registry.subscriptions.notifiedCount == 0)

        registry.record([ConditionEvent(condition, kind: .entered, state: .satisfied)], at: now)
        #expect(throws: MonitorError.self) {
            try registry.database.perform(at: now) { () throws(StoreError) in
                throw StoreError("reading from sextant.db", reason: "failed", code: 10)
            }
        }
        #expect(registry.subscriptions.takeNotified()?.needsStatus == true)
        let during = try #require(registry.takeStatus(of: home, at: now))
        #expect(during.persistenceUnavailable && during.conditions == 1 && during.process == 7)
        #expect(registry.subscriptions[home]?.needsStatus == false)
        #expect(try registry.takeEvents(of: home, limit: 16, at: now).isEmpty)

        let later = try #require(registry.deadline)
        registry.tick(at: later)
        #expect(registry.subscriptions.takeNotified()?.needsStatus == true)
        let after = try #require(registry.takeStatus(of: home, at: later))
        #expect(!after.persistenceUnavailable && after.pending == 1)
        #expect(try registry.takeEvents(of: home, limit: 16, at: later).count == 1)
    }

    @Test func `a client with many events waits for those before it`() throws {
        let keys = try (0..<32).map { try key("m\($0)") }
        for (number, key) in keys.enumerated() {
            _ = try registry.open(key, MonitorSubscriptions.Subscription(session: number, process: 7), at: now)
        }
        registry.subscriptions.close(keys[5], session: 5)
        #expect(registry.subscriptions.notifiedCount == 31)
        var order: [Int] = []
        for _ in 0..<31 {
            let next = registry.subscriptions.takeNotified()
            let session = try #require(next).session
            order.append(session)
            // It has read its events, and there are more.
            registry.subscriptions.notify(keys[session])
            registry.subscriptions.notify(keys[session])
        }
        #expect(order == (0..<32).filter { $0 != 5 })
        #expect(registry.subscriptions.notifiedCount == 31)
    }

    @Test func `a process that holds a name can open it for events again and again`() throws {
        let home = try key("home")
        let holding = MonitorSubscriptions.Subscription(session: 1, process: 7, delivers: false)
        _ = try registry.open(home, holding, at: now)
        for session in [2, 3] {
            #expect(throws: MonitorError.self) {
                try registry.open(home, MonitorSubscriptions.Subscription(session: 9, process: 8), at: now)
            }
            #expect(throws: MonitorError.self) { try registry.open(home, holding, at: now) }
            let status = try registry.open(
                home, MonitorSubscriptions.Subscription(session: session, process: 7), at: now)
            #expect(status.isOpen && status.process == 7)
            #expect(throws: MonitorError.self, "events are already sent to another session") {
                try registry.open(home, MonitorSubscriptions.Subscription(session: 4, process: 7), at: now)
            }
            registry.subscriptions.close(home, session: session)
            #expect(registry.subscriptions[home]?.session == 1)
        }
        _ = try registry.open(home, MonitorSubscriptions.Subscription(session: 5, process: 7), at: now)
        registry.subscriptions.close(home, session: 1)
        #expect(registry.subscriptions[home]?.session == 5, "the session with events remains")
        registry.subscriptions.close(home, session: 5)
        #expect(registry.subscriptions[home] == nil)
    }

    @Test func `a program that is denied while the disk fails gets no event of that time`() throws {
        let verdict = Verdict()
        let registry = try registry(in: "denied", verdict)
        let (home, other) = (try key("home"), MonitorKey(owner: try #require(ProgramID(stored: "2000")), name: "home"))
        let center = try #require(Coordinate(latitude: 48, longitude: 11))
        for key in [home, other] {
            _ = try registry.add(
                [NewCondition("c", FenceCondition(shape: .circle(center: center, radius: 100)))], to: key, at: now)
            _ = try registry.open(
                key, MonitorSubscriptions.Subscription(session: Int(key.owner.user), process: 7), at: now)
        }
        #expect(registry.database.saveCalls(at: now))
        let ids = try #require(registry.takeChanges(at: now)?.added.map(\.id))
        #expect(throws: MonitorError.self) {
            try registry.database.perform(at: now) { () throws(StoreError) in
                throw StoreError("reading from sextant.db", reason: "failed", code: 10)
            }
        }
        verdict.isAllowed = false
        registry.permissionChanged(of: [home.owner], notifying: [home], at: now)
        for id in ids { registry.record([ConditionEvent(id, kind: .entered, state: .satisfied)], at: now) }
        verdict.isAllowed = true
        registry.permissionChanged(of: [home.owner], notifying: [home], at: now)
        #expect(registry.takeChanges(at: now) == nil)

        let later = try #require(registry.deadline)
        registry.tick(at: later)
        let changes = try #require(registry.takeChanges(at: later))
        #expect(changes.removed == [ids[0]] && changes.added.map(\.id) == [ids[0]], "its state is that on disk")
        #expect(try registry.takeEvents(of: home, limit: 16, at: later).isEmpty)
        #expect(try registry.takeEvents(of: other, limit: 16, at: later).count == 1)
    }

    @Test func `a denied program's condition is not monitored after it was replaced`() throws {
        let verdict = Verdict()
        let registry = try registry(in: "replaced", verdict)
        let (home, center) = (try key("home"), try #require(Coordinate(latitude: 48, longitude: 11)))
        let circles = [100, 90.0].map { NewCondition("c", FenceCondition(shape: .circle(center: center, radius: $0))) }
        verdict.isAllowed = false
        for circle in circles { _ = try registry.add([circle], to: home, at: now) }
        #expect(registry.takeChanges(at: now)?.added.isEmpty ?? true)
        #expect(registry.monitored.owners.isEmpty)
        verdict.isAllowed = true
        registry.permissionChanged(of: [home.owner], notifying: [], at: now)
        #expect(registry.takeChanges(at: now)?.added.count == 1)
    }

    @Test func `a denial that finds the failure of the disk counts as one while the disk fails`() throws {
        let verdict = Verdict()
        let registry = try registry(in: "failure", verdict)
        let (home, center) = (try key("home"), try #require(Coordinate(latitude: 48, longitude: 11)))
        _ = try registry.add(
            [NewCondition("c", FenceCondition(shape: .circle(center: center, radius: 100)))], to: home, at: now)
        let id = try #require(registry.takeChanges(at: now)?.added.first?.id)
        let database = try #require(registry.database.openStore?.database)
        try database.execute("ALTER TABLE condition RENAME TO hidden", for: "damaging")
        verdict.isAllowed = false
        registry.permissionChanged(of: [home.owner], notifying: [], at: now)
        try database.execute("ALTER TABLE hidden RENAME TO condition", for: "repairing")
        verdict.isAllowed = true
        registry.permissionChanged(of: [home.owner], notifying: [], at: now)
        let changes = try #require(registry.takeChanges(at: now))
        #expect(changes.removed == [id] && changes.added.map(\.id) == [id], "its state is that on disk")
    }

    /// What the program of user 1000 may know.
    private final class Verdict { var isAllowed = true }

    private func registry(in folder: String, _ verdict: Verdict) throws -> MonitorRegistry {
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return MonitorRegistry(
            database: StateDatabase(directory: try scratch(folder), log: log), limits: MonitorLimits(Settings()),
            isAllowed: { $0.user != 1000 || verdict.isAllowed }, log: log)
    }

    @Test func `events that were discarded unread are sent again`() throws {
        let home = try key("home")
        let center = try #require(Coordinate(latitude: 48, longitude: 11))
        _ = try registry.add(
            [NewCondition("c", FenceCondition(shape: .circle(center: center, radius: 100)))], to: home, at: now)
        let id = try #require(registry.takeChanges(at: now)?.added.first?.id)
        _ = try registry.open(home, MonitorSubscriptions.Subscription(session: 1, process: 7), at: now)
        registry.record([ConditionEvent(id, kind: .entered, state: .satisfied)], at: now)
        #expect(try registry.takeEvents(of: home, limit: 16, at: now).count == 1)
        #expect(try registry.takeEvents(of: home, limit: 16, at: now).isEmpty)
        var subscription = MonitorSubscriptions.Subscription(session: 1, process: 7)
        subscription.recordChanged("c")
        for _ in 0..<2 {
            #expect(subscription.takeChangedRecords(limit: 16) == ["c"])
            subscription.resendEvents()
        }
        registry.subscriptions.resendEvents(of: home)
        #expect(try registry.takeEvents(of: home, limit: 16, at: now).count == 1)
        let program = home.owner.program
        #expect(registry.subscriptions.keys(of: program) == [home])
        registry.subscriptions.close(home, session: 1)
        #expect(registry.subscriptions.keys(of: program).isEmpty)
    }

    @Test func `events whose reading has failed are sent later`() throws {
        let home = try key("home")
        let center = try #require(Coordinate(latitude: 48, longitude: 11))
        let circles = ["a", "b"].map { NewCondition($0, FenceCondition(shape: .circle(center: center, radius: 100))) }
        _ = try registry.add(circles, to: home, at: now)
        #expect(registry.database.saveCalls(at: now))
        let ids = try #require(registry.takeChanges(at: now)?.added.map(\.id))
        _ = try registry.open(home, MonitorSubscriptions.Subscription(session: 1, process: 7), at: now)
        #expect(registry.subscriptions.takeNotified() != nil)
        for id in ids { registry.record([ConditionEvent(id, kind: .entered, state: .satisfied)], at: now) }
        #expect(registry.subscriptions.takeNotified() != nil)
        let database = try #require(registry.database.openStore?.database)
        // The events can be read, and what belongs to them cannot.
        try database.execute("ALTER TABLE condition RENAME TO hidden", for: "damaging")
        #expect(throws: MonitorError.self) { try registry.takeEvents(of: home, limit: 16, at: now) }
        try database.execute("ALTER TABLE hidden RENAME TO condition", for: "repairing")
        let later = try #require(registry.deadline)
        registry.tick(at: later)
        #expect(registry.subscriptions.takeNotified()?.session == 1)
        #expect(try registry.takeEvents(of: home, limit: 16, at: later).map(\.identifier) == ["a", "b"])
    }

    /// All reads fail, or only that of the conditions to add.
    @Test(arguments: [
        ["condition RENAME TO hidden", "hidden RENAME TO condition"],
        ["condition RENAME COLUMN since TO hidden", "condition RENAME COLUMN hidden TO since"],
    ])
    func `conditions that cannot be read after a reload are read again`(change: [String]) throws {
        let (home, center) = (try key("home"), try #require(Coordinate(latitude: 48, longitude: 11)))
        let circles = ["a", "b"].map { NewCondition($0, FenceCondition(shape: .circle(center: center, radius: 100))) }
        _ = try registry.add(circles, to: home, at: now)
        #expect(registry.database.saveCalls(at: now))
        #expect(registry.takeChanges(at: now)?.added.count == 2)
        let database = try #require(registry.database.openStore?.database)
        try database.execute("ALTER TABLE \(change[0])", for: "damaging")
        var settings = Settings()
        settings.maxConditionsPerProgram = 1
        registry.apply(MonitorLimits(settings), at: now)
        let early = registry.takeChanges(at: now)
        try database.execute("ALTER TABLE \(change[1])", for: "repairing")
        let later = try #require(registry.deadline)
        registry.tick(at: later)
        let changes = try #require(registry.takeChanges(at: later))
        #expect((early?.removed ?? []).count + changes.removed.count == 2)
        #expect(early?.added.isEmpty ?? true && changes.added.count == 1)
    }

    @Test func `only the newest event of a condition is sent on request`() throws {
        let home = try key("home")
        let center = try #require(Coordinate(latitude: 48, longitude: 11))
        let circles = ["a", "b"].map { NewCondition($0, FenceCondition(shape: .circle(center: center, radius: 100))) }
        _ = try registry.add(circles, to: home, at: now)
        let ids = try #require(registry.takeChanges(at: now)?.added.map(\.id))
        func cross(_ id: ConditionID, _ count: Int, first: ConditionEvent.Kind = .entered) {
            for number in 0..<count {
                let enters = (number % 2 == 0) == (first == .entered)
                let event = ConditionEvent(
                    id, kind: enters ? .entered : .left, state: enters ? .satisfied : .unsatisfied)
                registry.record([event], at: now)
            }
        }
        cross(ids[0], 4)
        cross(ids[1], 1)
        _ = try registry.open(
            home, MonitorSubscriptions.Subscription(session: 1, process: 7, latestOnly: true), at: now)
        let first = try registry.takeEvents(of: home, limit: 16, at: now)
        #expect(first.map(\.identifier) == ["a", "b"] && first.map(\.kind) == [.left, .entered])
        #expect(first.map(\.folded) == [3, 0])
        // The event that is being handled remains; those after it are superseded.
        cross(ids[0], 3)
        #expect(try registry.takeEvents(of: home, limit: 16, at: now).isEmpty)
        #expect(try registry.acknowledge([first[0].id], of: home, at: now) == 1)
        #expect(try registry.record("a", of: home, at: now).lastAcknowledged?.event.kind == .left)
        let next = try registry.takeEvents(of: home, limit: 16, at: now)
        #expect(next.map(\.kind) == [.entered] && next.map(\.folded) == [2])
        #expect(try registry.record("a", of: home, at: now).furtherPending == 0)
    }

    @Test func `a client learns which conditions the limit applies to no longer`() throws {
        var settings = Settings()
        settings.maxConditionsPerProgram = 2
        registry.apply(MonitorLimits(settings), at: now)
        let home = try key("home")
        let center = try #require(Coordinate(latitude: 48, longitude: 11))
        let circles = ["a", "b", "c", "d"].map {
            NewCondition($0, FenceCondition(shape: .circle(center: center, radius: 9)))
        }
        #expect(try registry.add(circles, to: home, at: now).unmonitored == ["c", "d"])
        _ = try registry.open(home, MonitorSubscriptions.Subscription(session: 1, process: 7), at: now)
        func changed() throws -> [String] {
            try registry.takeChangedRecords(of: home, limit: 16, at: now).map(\.added.identifier)
        }
        #expect(try changed().isEmpty)
        #expect(try registry.remove(["a"], from: home, at: now) == 1)
        #expect(try changed() == ["c"])
        #expect(try changed().isEmpty)
        settings.maxConditionsPerProgram = 1
        registry.apply(MonitorLimits(settings), at: now)
        #expect(try changed() == ["c"])
        settings.maxConditionsPerProgram = 20
        registry.apply(MonitorLimits(settings), at: now)
        #expect(try changed() == ["c", "d"])
    }
}
