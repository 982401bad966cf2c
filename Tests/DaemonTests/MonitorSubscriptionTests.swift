import Chronology
import Geodesy
import Geofencing
import Logging
import Store
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
        MonitorKey(owner: try #require(MonitorOwner(stored: "1000")), name: name)
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
        #expect(registry.takeNotified()?.needsStatus == false && !registry.hasNotified)

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
}
