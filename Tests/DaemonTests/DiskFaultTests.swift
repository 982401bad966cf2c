import Chronology
import Geodesy
import Geofencing
import Logging
import Permission
import Positioning
import SQLite
import SextantAPI
import StateStore
import SystemCalls
import TestSupport
import Testing

@testable import sextantd

/// Tests of what one failing operation of the disk leaves behind, for each operation in turn.
@Suite struct DiskFaultTests {
    /// Whether only one operation fails, or all from it on until the disk works again.
    enum Duration: CaseIterable { case once, minutes }

    @Test(arguments: FaultyDisk.Operation.allCases, Duration.allCases)
    func `a failure of the disk loses no event and no condition`(
        operation: FaultyDisk.Operation, duration: Duration
    ) throws {
        var number = 0
        while try live(operation, failingAt: number, duration) { number += 1 }
        #expect(number > 10, "the disk was used")
    }

    /// Returns whether the operation with this number took place.
    private func live(
        _ operation: FaultyDisk.Operation, failingAt number: Int, _ duration: Duration
    ) throws -> Bool {
        let scratch = try Scratch()
        let disk = FaultyDisk(scratch.path)
        disk.fail(operation, at: number, count: duration == .once ? 1 : 9)
        let life = try MonitorLife(in: scratch.path)
        try life.add("a")
        try life.add("b")
        life.open()
        life.cross("a", .entered)
        life.cross("b", .entered)
        life.cross("a", .left)
        life.acknowledge(2)
        try life.add("b", radius: 90)
        life.setLimit(1)
        life.setLimit(20)
        life.acknowledge()
        life.cross("b", .entered)
        try life.add("c")
        life.remove("a")
        let hasFailed = disk.heal()
        life.settle()

        let place: Comment = "\(operation.rawValue) \(number)"
        let stored = try life.stored()
        #expect(stored.conditions.values.sorted() == ["b", "c"] && stored.pending == 1, place)
        #expect(life.monitored == Set(stored.conditions.keys), place)
        let kinds = life.sent.sorted { $0.key < $1.key }.map { "\($0.value.identifier) \($0.value.kind.rawValue)" }
        #expect(kinds == ["a entered", "b entered", "a left", "b entered"], place)
        #expect(life.outstanding.count == 1 && life.sentAgain.isEmpty && !life.isLost, place)
        #expect(!Scratch.names(in: scratch.path).contains { $0.contains("torn") }, place)
        return hasFailed
    }

    @Test func `a power cut after failed syncs undoes nothing that was confirmed`() throws {
        for seed in UInt64(0)..<60 {
            var chance = SeededGenerator(seed: seed)
            let (scratch, after) = (try Scratch(), try Scratch())
            let disk = FaultyDisk(scratch.path)
            let life = try MonitorLife(in: scratch.path)
            life.open()
            var confirmed: Set<String> = []
            for number in 0..<Int.random(in: 4...16, using: &chance) {
                if Bool.random(using: &chance) {
                    disk.fail(
                        .sync, at: Int.random(in: 0...6, using: &chance), count: Int.random(in: 1...3, using: &chance))
                }
                try life.add("c\(number)")
                confirmed.insert("c\(number)")
                life.cross("c\(number)", .entered)
                if Bool.random(using: &chance) { life.acknowledge(number + 1 - life.acknowledged.count) }
            }
            disk.cutPower(copyingTo: after.path) { Int.random(in: 0..<3, using: &chance) == 0 }

            let next = try MonitorLife(in: after.path)
            next.open()
            next.wait { next.sent.count == life.outstanding.count }
            #expect(Set(try next.stored().conditions.values) == confirmed, "seed \(seed)")
            #expect(Set(next.sent.keys).isDisjoint(with: life.acknowledged), "seed \(seed)")
            #expect(Set(next.sent.keys).isSuperset(of: life.outstanding), "seed \(seed)")
            #expect(!Scratch.names(in: after.path).contains { $0.contains("torn") }, "seed \(seed)")
        }
    }

    @Test(arguments: FaultyDisk.Operation.allCases)
    func `a lease and the secret are stored after the disk has failed`(operation: FaultyDisk.Operation) throws {
        let program = try #require(ProgramID("1000:navigator.service"))
        var (number, hasFailed) = (0, true)
        while hasFailed {
            let scratch = try Scratch()
            let permissions = PermissionCenter(
                database: StateDatabase(directory: scratch.path, log: DiskFaultTests.log), policy: PermissionPolicy(),
                log: DiskFaultTests.log)
            let decision = PermissionDecision(.always, by: .administrator(user: 0), at: HostClock.utc)
            _ = try permissions.decide(decision, about: program)
            let disk = FaultyDisk(scratch.path)
            disk.fail(operation, at: number, count: 3)
            _ = permissions.beginRequest(of: program)
            #expect(permissions.keepActive(PermissionClientID(1), of: program))
            permissions.leasesChanged()
            permissions.saveLeases()
            let secret = permissions.reducedSecret()
            hasFailed = disk.heal()
            if let deadline = permissions.deadline { permissions.endTurn(at: deadline) }
            #expect(permissions.deadline == nil)
            let stored = try PermissionStore(StateDatabase(directory: scratch.path, log: DiskFaultTests.log)).contents()
            let place: Comment = "\(operation.rawValue) \(number)"
            #expect(stored.leases.map(\.program) == [program], place)
            #expect(stored.secret?.bytes == secret.bytes, place)
            number += 1
        }
        #expect(number > 3)
    }

    @Test(arguments: [true, false])
    func `a decision that was refused because a sync failed is not in force later`(isHeld: Bool) throws {
        let program = try #require(ProgramID("1000:navigator.service"))
        let (denial, grant) = (AuthorizationChoice.denied, AuthorizationChoice.always)
        var (number, refusals) = (0, 0)
        var hasFailed = true
        while hasFailed {
            let (scratch, after) = (try Scratch(), try Scratch())
            let database = StateDatabase(directory: scratch.path, log: DiskFaultTests.log)
            // Others may use the database too; without them it is closed after each change.
            let held = isHeld ? try database.open(at: HostClock.utc) : nil
            func save(_ choice: AuthorizationChoice) throws(StoreError) {
                let decision = PermissionDecision(choice, by: .administrator(user: 0), at: HostClock.utc)
                try PermissionStore(database).save(decision, about: program)
            }
            try save(denial)
            let disk = FaultyDisk(scratch.path)
            disk.fail(.sync, at: number, count: 100)
            let wasRefused = (try? save(grant)) == nil
            hasFailed = disk.heal()
            // The process is killed.
            scratch.copyFiles(to: after)
            withExtendedLifetime(held) {}
            let stored = try PermissionStore(StateDatabase(directory: after.path, log: DiskFaultTests.log)).contents()
            #expect(stored.decisions[program]?.authorization == (wasRefused ? denial : grant), "sync \(number)")
            if wasRefused { refusals += 1 }
            number += 1
        }
        #expect(refusals > 0)
    }

    @Test(arguments: FaultyDisk.Operation.allCases)
    func `a visit is kept after the disk has failed`(operation: FaultyDisk.Operation) throws {
        var (number, hasFailed) = (0, true)
        while hasFailed {
            hasFailed = try keepVisits(operation, failingAt: number)
            number += 1
        }
        #expect(number > 3)
    }

    private func visit(_ minute: Int64, at now: Instant) throws -> Stay {
        let place = try #require(Coordinate(latitude: 48, longitude: 11))
        let time = HostClock.utc.advanced(by: .seconds(Double(minute) * 60 - 7200))
        return Stay(coordinate: place, radius: 20, arrival: Stay.Moment(at: now, time: time))
    }

    private func visits(in scratch: Scratch) -> VisitStore {
        var settings = Settings()
        settings.visitLifetime = .seconds(86_400 * 30)
        return VisitStore(
            StateDatabase(directory: scratch.path, log: DiskFaultTests.log), settings: settings,
            log: DiskFaultTests.log)
    }

    /// Returns whether the operation with this number took place.
    private func keepVisits(_ operation: FaultyDisk.Operation, failingAt number: Int) throws -> Bool {
        let scratch = try Scratch()
        var now = Instant.zero + .seconds(100)
        let earlier = try visit(0, at: now)
        visits(in: scratch).record(earlier, for: [7, 8], at: now)
        let disk = FaultyDisk(scratch.path)
        disk.fail(operation, at: number, count: 3)
        let store = visits(in: scratch)
        // The first user continues the visit, the second one has left meanwhile.
        store.begin(store.openVisit(of: 7, at: now), for: 7, at: now)
        store.begin(nil, for: 8, at: now)
        store.record(try visit(60, at: now), for: [8], at: now)
        let hasFailed = disk.heal()
        for _ in 0..<3 {
            guard let deadline = store.deadline else { break }
            now = max(now, deadline)
            _ = store.tick(at: now)
        }
        #expect(store.deadline == nil)
        let kept = visits(in: scratch)
        let place: Comment = "\(operation.rawValue) \(number)"
        #expect(kept.openVisit(of: 7, at: now)?.arrival.time == earlier.arrival.time, place)
        let rows = try kept.visits(of: 8, before: .max, in: .min..<(.max), limit: 9, at: now)
        #expect(rows.map { $0.visit.departure == nil } == [true, false], place)
        return hasFailed
    }

    @Test func `a program whose opening has failed does not hold the monitor`() throws {
        let key = MonitorKey(owner: try #require(ProgramID(stored: "1000")), name: "home")
        var (number, hasFailed) = (0, true)
        while hasFailed {
            let scratch = try Scratch()
            let now = Instant.zero + .seconds(100)
            func registry() -> MonitorRegistry {
                MonitorRegistry(
                    database: StateDatabase(directory: scratch.path, log: DiskFaultTests.log),
                    limits: MonitorLimits(Settings()), log: DiskFaultTests.log)
            }
            do {
                let first = registry()
                _ = try first.open(key, MonitorSubscriptions.Subscription(session: 1, process: 7), at: now)
                #expect(first.database.saveCalls(at: now))
            }
            let second = registry()
            second.start(at: now)
            second.database.openStore?.database.releaseMemory()
            let disk = FaultyDisk(scratch.path)
            disk.fail(.read, at: number)
            let status = try? second.open(key, MonitorSubscriptions.Subscription(session: 1, process: 7), at: now)
            hasFailed = disk.heal()
            if status == nil {
                let later = now + .seconds(60)
                second.tick(at: later)
                let other = try second.open(key, MonitorSubscriptions.Subscription(session: 2, process: 8), at: later)
                #expect(other.isOpen && other.process == 8, "read \(number)")
            }
            number += 1
        }
        #expect(number > 2)
    }

    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
