import Chronology
import Geodesy
import Geofencing
import Glibc
import Logging
import Permission
import SQLite
import ServiceRuntime
import SextantAPI
import StateStore
import SystemCalls
import TestSupport
import Testing

@testable import sextantd

/// Tests of the monitors of many users, whom only the registry can have in a test.
@Suite struct MonitorRegistryTests {
    private let scratch: Scratch
    private let file: StateDatabase
    private let now = Instant.zero + .seconds(100)

    init() throws {
        scratch = try Scratch()
        file = StateDatabase(directory: scratch.path, log: MonitorRegistryTests.log)
    }

    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func registry(perProgram: Int = 20, total: Int = 100_000, bytesPerUser: Int? = nil) -> MonitorRegistry {
        var settings = Settings()
        settings.maxConditionsPerProgram = perProgram
        settings.maxConditions = total
        var limits = MonitorLimits(settings)
        if let bytesPerUser { limits.bytesPerUser = bytesPerUser }
        let registry = MonitorRegistry(database: file, limits: limits, log: MonitorRegistryTests.log)
        registry.start(at: now)
        return registry
    }

    private func key(_ program: String, _ name: String = "home") throws -> MonitorKey {
        MonitorKey(owner: try #require(ProgramID(stored: program)), name: name)
    }

    private func circles(_ count: Int, radius: Double = 100) throws -> [NewCondition] {
        let center = try #require(Coordinate(latitude: 48, longitude: 11))
        return (0..<count).map {
            NewCondition("c\($0)", FenceCondition(shape: .circle(center: center, radius: radius)))
        }
    }

    private func limit(_ body: () throws -> Void) throws -> ExceededLimit {
        do { try body() } catch let error as MonitorError {
            switch error {
            case .tooManyConditions(let limit, let scope, let reason),
                .tooManyMonitors(let limit, let scope, let reason), .tooMuchData(let limit, let scope, let reason):
                return ExceededLimit(limit, of: scope, reason: reason)
            default: throw error
            }
        }
        throw TestFailure("no limit was exceeded")
    }

    @Test func `the conditions of a user are limited over all programs and restarts`() throws {
        let registry = registry(perProgram: 2)
        let batch = try circles(20)
        for number in 0..<16 { _ = try registry.add(batch, to: key("1000:p\(number).service"), at: now) }
        let next = try key("1000:next.service")
        let exceeded = try limit { _ = try registry.add(circles(1), to: next, at: now) }
        #expect(exceeded.limit == 320 && exceeded.scope == .user)
        #expect(exceeded.reason.contains("user 1000 have 320 conditions"), "\(exceeded.reason)")
        // The limit is that of one user, and not the administrator's.
        _ = try registry.add(batch, to: key("1001:p.service"), at: now)
        for number in 0..<18 { _ = try registry.add(batch, to: key("0:p\(number).service"), at: now) }
        // Replacing needs no more.
        #expect(try registry.add(circles(20, radius: 200), to: key("1000:p1.service"), at: now).replaced == 20)
        #expect(registry.database.saveCalls(at: now))

        let restarted = self.registry(perProgram: 2)
        #expect(try limit { _ = try restarted.add(circles(1), to: next, at: now) } == exceeded)
        #expect(try restarted.remove(["c0"], from: key("1000:p1.service"), at: now) == 1)
        #expect(try restarted.add(circles(1), to: next, at: now).added == 1)
        #expect(try limit { _ = try restarted.add(circles(2), to: next, at: now) }.scope == .user)
        try restarted.delete(key("1000:p2.service"), at: now)
        #expect(
            try restarted.add(circles(20), to: next, at: now)
                == Addition(added: 19, replaced: 1, unmonitored: (2..<20).map { "c\($0)" }))
    }

    @Test func `the limits per program and in total name themselves`() throws {
        let registry = registry(perProgram: 2, total: 50)
        let program = try limit { _ = try registry.add(circles(21), to: key("1000"), at: now) }
        #expect(program.limit == 20 && program.scope == .program && program.reason.contains("program 1000"))
        for user in [1000, 1001] { _ = try registry.add(circles(20), to: key("\(user)"), at: now) }
        let all = try limit { _ = try registry.add(circles(11), to: key("1002"), at: now) }
        #expect(all.limit == 50 && all.scope == .all && all.reason.contains("max_conditions under"))
        #expect(try registry.add(circles(10), to: key("1002"), at: now).added == 10)
        let none = try limit { _ = try registry.add(circles(11), to: key("1002"), at: now) }
        #expect(none.scope == .all, "one more than before")
    }

    @Test func `empty monitors count`() throws {
        let registry = registry()
        for number in 0..<64 { _ = try registry.add([], to: key("1000:a.service", "m\(number)"), at: now) }
        let program = try limit { _ = try registry.add([], to: key("1000:a.service", "more"), at: now) }
        #expect(program.limit == 64 && program.scope == .program)
        #expect(throws: MonitorError.tooManyMonitors(program)) {
            try registry.open(
                key("1000:a.service", "more"), MonitorSubscriptions.Subscription(session: 1, process: 1), at: now)
        }
        for number in 0..<192 {
            _ = try registry.open(
                key("1000:p\(number % 3).service", "m\(number)"),
                MonitorSubscriptions.Subscription(session: 1, process: 1), at: now)
        }
        let user = try limit { _ = try registry.add([], to: key("1000:b.service"), at: now) }
        #expect(user.limit == 256 && user.scope == .user)
        try registry.delete(key("1000:a.service", "m0"), at: now)
        _ = try registry.add([], to: key("1000:b.service"), at: now)
        #expect(throws: MonitorError.self) { try registry.add([], to: key("1000:c.service"), at: now) }
    }

    @Test func `a user's conditions fill the file in proportion to the limit`() throws {
        // 64 MB on the disk, less 400 bytes for each pending event, for 48 MiB of conditions.
        let (limit, events) = (48 << 20, EventStore.maxPendingPerUser * 400)
        #expect(MonitorLimits(Settings()).bytesPerUser == limit)
        let share = Double(64_000_000 - events) / Double(limit)
        let small = 4 << 20
        let registry = registry(perProgram: 0, bytesPerUser: small)
        let points = (0..<1000).compactMap {
            Coordinate(latitude: 48 + Double($0 % 500) / 1000, longitude: 11 + Double($0) / 1000)
        }
        let metadata = "\"" + String(repeating: "x", count: 4090) + "\""
        var added = 0
        let exceeded = try self.limit {
            while added < 1000 {
                let new = NewCondition(
                    "c\(added)", FenceCondition(shape: .corridor(path: points, width: 10)), metadata: metadata)
                _ = try registry.add([new], to: key("1000"), at: now)
                added += 1
            }
        }
        #expect(exceeded.limit == small && exceeded.scope == .user && added >= 150, "\(added)")
        #expect(registry.database.saveCalls(at: now))
        try file.open(at: HostClock.utc).checkpoint()
        var status = stat()
        stat(scratch("sextant.db"), &status)
        let bytes = Int(status.st_size)
        #expect(Double(bytes) <= Double(small) * share)
        // Others are not affected, and smaller conditions replace larger ones.
        #expect(try registry.add(circles(9), to: key("1001"), at: now).added == 9)
        #expect(try registry.add(circles(9), to: key("1000"), at: now).replaced == 9)
    }

    @Test func `a database that exceeds the limits is served, and its monitors can be deleted`() throws {
        do {
            let store = MonitorStore(try file.open(at: HostClock.utc))
            for number in 0..<300 {
                let monitor = try store.openMonitor("m", of: "02002:x\(number)\u{1}")
                _ = try store.add(circles(2), to: monitor)
            }
            try store.database.execute("BEGIN", for: "trying")
            for number in 0..<1500 { _ = try store.openMonitor("m", of: "+3003:x\(number)") }
            try store.database.execute("COMMIT", for: "trying")
        }
        let registry = registry(perProgram: 2, total: 500)
        #expect(registry.takeChanges(at: now)?.added.count == 600)
        #expect(try registry.monitors(ofUser: 2002, at: now).monitors.count == 300)
        let many = try registry.monitors(ofUser: 3003, at: now)
        #expect(many.monitors.count == 1000 && many.isTruncated == true, "a reply has a limit")
        #expect(throws: MonitorError.self) { try registry.owner(named: "02002:x300", at: now) }
        let legacy = try registry.owner(named: "02002:x7\u{1}", at: now)
        #expect(legacy.user == 2002)
        #expect(throws: MonitorError.self) { try registry.add(circles(3), to: key(legacy.description, "m"), at: now) }
        #expect(throws: MonitorError.self) { try registry.add([], to: key("2002"), at: now) }
        #expect(try registry.remove(["c0"], from: key(legacy.description, "m"), at: now) == 1)
        for number in 0..<50 { try registry.delete(key("02002:x\(number)\u{1}", "m"), at: now) }
        #expect(try registry.add([], to: key("2002"), at: now).added == 0)
    }

    @Test func `a large monitor is deleted in parts, after a restart too`() throws {
        let registry = registry(perProgram: 0)
        _ = try registry.add(circles(1000), to: key("1000"), at: now)
        _ = try registry.add(circles(5), to: key("1000", "other"), at: now)
        #expect(registry.takeChanges(at: now)?.added.count == 1005 && registry.deadline == nil)
        try registry.delete(key("1000"), at: now)
        #expect(try registry.monitors(ofUser: 1000, at: now).monitors.map(\.conditions) == [5])
        #expect(throws: MonitorError.noSuchMonitor(name: "home")) { try registry.message(of: key("1000"), at: now) }
        #expect(registry.database.saveCalls(at: now))
        // The log is copied into the file first.
        var removed = 0
        for _ in 0..<3 where removed == 0 {
            registry.tick(at: max(try #require(registry.deadline), now))
            removed = registry.takeChanges(at: now)?.removed.count ?? 0
        }
        #expect(removed > 0 && removed <= 200)

        // A monitor of the same name is another one.
        #expect(try registry.add(circles(3), to: key("1000"), at: now).added == 3)
        #expect(registry.database.saveCalls(at: now))
        let restarted = self.registry(perProgram: 0)
        #expect(restarted.takeChanges(at: now)?.added.count == 8)
        var turns = 0
        while let deadline = restarted.deadline, turns < 100 {
            restarted.tick(at: max(deadline, now) + .seconds(1))
            turns += 1
        }
        #expect((5...20).contains(turns))
        #expect(try restarted.monitors(ofUser: 1000, at: now).monitors.map(\.conditions) == [3, 5])
        let database = try file.open(at: HostClock.utc)
        let left = try database.prepare("SELECT count(*) FROM condition", for: "counting").first { $0.integer(0) }
        #expect(left == 8)
    }

    /// Lets a device fail while the registry reads from its database.
    private func failDevice(of registry: MonitorRegistry, at now: Instant) {
        #expect(throws: MonitorError.self) {
            try registry.database.perform(at: now) { () throws(StoreError) in
                throw StoreError("reading from sextant.db", reason: "failed", code: 10)
            }
        }
    }

    @Test func `the deletion of a large monitor continues after a device error`() throws {
        let registry = registry(perProgram: 0)
        // Later than any pause after a write.
        var now = HostClock.now + .seconds(3600)
        _ = try registry.add(circles(1000), to: key("1000"), at: now)
        try registry.delete(key("1000"), at: now)
        #expect(registry.database.saveCalls(at: now))
        failDevice(of: registry, at: now)
        registry.tick(at: now)
        #expect(registry.database.openStore == nil)
        var turns = 0
        while let deadline = registry.deadline, turns < 100 {
            now = max(deadline, now) + .seconds(1)
            registry.tick(at: now)
            turns += 1
        }
        #expect(turns < 100 && registry.database.trouble == nil)
        let database = try file.open(at: HostClock.utc)
        #expect(try database.prepare("SELECT count(*) FROM condition", for: "counting").first { $0.integer(0) } == 0)
    }

    @Test func `the deletion of a large monitor continues after a full disk`() throws {
        let registry = registry(perProgram: 0)
        var now = HostClock.now + .seconds(3600)
        _ = try registry.add(circles(1000), to: key("1000"), at: now)
        try registry.delete(key("1000"), at: now)
        #expect(registry.database.saveCalls(at: now))
        let disk = FaultyDisk(scratch.path)
        disk.fail(.write, at: 0, count: .max, error: ENOSPC)
        now = now + .seconds(1)
        registry.tick(at: now)
        #expect(disk.heal())
        let next = try #require(registry.deadline)
        #expect(next - now <= .seconds(30))
        for _ in 0..<100 {
            guard let deadline = registry.deadline else { break }
            now = max(deadline, now) + .seconds(1)
            registry.tick(at: now)
        }
        let database = try file.open(at: HostClock.utc)
        #expect(try database.prepare("SELECT count(*) FROM condition", for: "counting").first { $0.integer(0) } == 0)
    }

    @Test func `a monitor whose status cannot be read is not open`() throws {
        let registry = registry()
        _ = try registry.add(circles(1), to: key("1000"), at: now)
        #expect(registry.database.saveCalls(at: now))
        let database = try file.open(at: HostClock.utc)
        try database.execute("ALTER TABLE condition RENAME TO hidden", for: "damaging")
        #expect(throws: MonitorError.self) {
            try registry.open(key("1000"), MonitorSubscriptions.Subscription(session: 1, process: 1), at: now)
        }
        #expect(try registry.subscriptions[key("1000")] == nil)
        try database.execute("ALTER TABLE hidden RENAME TO condition", for: "repairing")
        let status = try registry.open(key("1000"), MonitorSubscriptions.Subscription(session: 2, process: 2), at: now)
        #expect(status.isOpen == true && status.process == 2)
    }

    @Test func `what a client that watches could not be told is read again`() throws {
        let registry = registry()
        _ = try registry.add(circles(1), to: key("1000"), at: now)
        #expect(registry.database.saveCalls(at: now))
        _ = registry.subscriptions.takeChanged()
        try registry.readAgain(key("1000"), at: now + .seconds(5))
        try registry.readAgain(key("1000"), at: now + .seconds(10))
        #expect(registry.subscriptions.takeChanged() == [])
        let next = try #require(registry.deadline)
        #expect(next == now + .seconds(5), "another failure does not postpone it")
        registry.tick(at: next)
        #expect(try registry.subscriptions.takeChanged() == [key("1000")] && registry.deadline == nil)
        registry.readAgain(nil, at: next + .seconds(5))
        registry.tick(at: try #require(registry.deadline))
        #expect(registry.subscriptions.takeChanged() == nil, "the list of all")
    }

    @Test func `conditions that cannot be read at the start are read again`() throws {
        do {
            let registry = registry()
            for user in [1000, 1001, 1002] { _ = try registry.add(circles(2), to: key("\(user)"), at: now) }
            #expect(registry.database.saveCalls(at: now))
        }
        let database = try file.open(at: HostClock.utc)
        try database.execute("ALTER TABLE condition RENAME TO hidden", for: "damaging")
        let registry = registry()
        #expect(registry.takeChanges(at: now) == nil)
        try database.execute("ALTER TABLE hidden RENAME TO condition", for: "repairing")
        registry.tick(at: try #require(registry.deadline))
        #expect(registry.takeChanges(at: now)?.added.count == 6)
    }

    @Test func `at the limit of bytes a condition is replaced by one that is not larger`() throws {
        let registry = registry()
        func new(_ metadata: Int, radius: Double) throws -> [NewCondition] {
            var new = try circles(1, radius: radius)
            new[0].metadata = String(repeating: "x", count: metadata)
            return new
        }
        _ = try registry.add(new(3000, radius: 100), to: key("1000"), at: now)
        let store = try #require(registry.database.openStore)
        var limits = MonitorLimits(Settings())
        limits.bytesPerUser = try store.storageUse(ofUser: 1000).bytes
        registry.apply(limits, at: now)
        for (size, radius) in [(3000, 90.0), (100, 80), (3000, 70)] {
            #expect(try registry.add(new(size, radius: radius), to: key("1000"), at: now).replaced == 1)
        }
        #expect(throws: MonitorError.self) { try registry.add(new(4096, radius: 60), to: key("1000"), at: now) }
    }

    @Test func `held events are written at shutdown`() throws {
        let registry = registry()
        _ = try registry.add(circles(1), to: key("1000"), at: now)
        #expect(registry.database.saveCalls(at: now))
        let id = try #require(registry.takeChanges(at: now)?.added.first?.id)
        do {
            let database = try file.open(at: HostClock.utc)
            try database.execute("PRAGMA query_only=1", for: "trying")
            registry.record([ConditionEvent(id, kind: .entered, state: .satisfied)], at: now)
            #expect(registry.database.trouble?.kind == .unwritable)
            #expect(try registry.monitors(ofUser: 1000, at: now).monitors.map(\.pending) == [0])
            try database.execute("PRAGMA query_only=0", for: "trying")
        }
        registry.database.finish(at: now)
        #expect(try self.registry().monitors(ofUser: 1000, at: now).monitors.map(\.pending) == [1])
    }

    @Test func `after a denial conditions are read again once their held events are written`() throws {
        var isAllowed = true
        let registry = MonitorRegistry(
            database: file, limits: MonitorLimits(Settings()), isAllowed: { _ in isAllowed },
            log: MonitorRegistryTests.log)
        registry.start(at: now)
        let key = try key("1000")
        _ = try registry.add(circles(1), to: key, at: now)
        #expect(registry.database.saveCalls(at: now))
        let id = try #require(registry.takeChanges(at: now)?.added.first?.id)
        let database = try file.open(at: HostClock.utc)
        try database.execute("PRAGMA query_only=1", for: "trying")
        registry.record([ConditionEvent(id, kind: .entered, state: .satisfied)], at: now)
        for isNow in [false, true] {
            isAllowed = isNow
            registry.permissionChanged(of: [key.owner], notifying: [], at: now)
        }
        let changes = try #require(registry.takeChanges(at: now))
        #expect(changes.removed == [id] && changes.added.isEmpty)
        try database.execute("PRAGMA query_only=0", for: "trying")
        // Nor does an addition read them.
        #expect(try registry.add(circles(2), to: key, at: now).unmonitored.isEmpty)
        #expect(registry.database.saveCalls(at: now) && registry.takeChanges(at: now)?.added.isEmpty ?? true)
        let later = try #require(registry.deadline)
        registry.tick(at: later)
        #expect(registry.takeChanges(at: later)?.added.map(\.snapshot?.state) == [.satisfied, nil])
    }

    @Test func `the changes of a turn are on disk when its calls are finished`() throws {
        let registry = registry()
        let database = try file.open(at: HostClock.utc)
        func synchronous() throws -> Int64 {
            try database.prepare("PRAGMA synchronous", for: "reading").first { $0.integer(0) } ?? -1
        }
        let (normal, full): (Int64, Int64) = (1, 2)
        #expect(try synchronous() == full)
        for number in 0..<3 { _ = try registry.add(circles(1), to: key("1000", "m\(number)"), at: now) }
        // The first call found no open database.
        #expect(try synchronous() == normal)
        #expect(registry.database.saveCalls(at: now))
        #expect(try synchronous() == full)
        #expect(registry.database.saveCalls(at: now))
    }
}
