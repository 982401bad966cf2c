import Chronology
import Geodesy
import Geofencing
import Logging
import Permission
import Store
import TestSupport
import Testing
import Wire

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
            [NewCondition("c", Condition(shape: .circle(center: center, radius: 100)))], to: home, at: now)
        #expect(registry.finishCalls(at: now))
        let condition = try #require(registry.takeChanges()?.added.first?.id)
        let first = try registry.open(home, session: 1, process: 7, at: now)
        #expect(first.conditions == 1 && !first.persistenceUnavailable)
        #expect(registry.takeNotified()?.needsStatus == false && registry.notifiedCount == 0)

        registry.record([ConditionEvent(condition, kind: .entered, state: .satisfied)], at: now)
        #expect(throws: MonitorError.self) {
            try registry.database.perform(at: now) { () throws(StoreError) in
                throw StoreError("reading from sextant.db", reason: "failed", code: 10)
            }
        }
        #expect(registry.takeNotified()?.needsStatus == true)
        let during = try #require(registry.takeStatus(of: home, at: now))
        #expect(during.persistenceUnavailable && during.conditions == 1 && during.process == 7)
        #expect(registry.subscriptions[home]?.needsStatus == false)
        #expect(try registry.takeEvents(of: home, limit: 16, at: now).isEmpty)

        let later = try #require(registry.deadline)
        registry.tick(at: later)
        #expect(registry.takeNotified()?.needsStatus == true)
        let after = try #require(registry.takeStatus(of: home, at: later))
        #expect(!after.persistenceUnavailable && after.pending == 1)
        #expect(try registry.takeEvents(of: home, limit: 16, at: later).count == 1)
    }

    @Test func `a client with many events waits for those before it`() throws {
        let keys = try (0..<32).map { try key("m\($0)") }
        for (number, key) in keys.enumerated() {
            _ = try registry.open(key, session: number, process: 7, at: now)
        }
        registry.close(keys[5], session: 5)
        #expect(registry.notifiedCount == 31)
        var order: [Int] = []
        for _ in 0..<31 {
            let session = try #require(registry.takeNotified()).session
            order.append(session)
            // It has read its events, and there are more.
            registry.notify(keys[session])
            registry.notify(keys[session])
        }
        #expect(order == (0..<32).filter { $0 != 5 })
        #expect(registry.notifiedCount == 31)
    }
}
