import Chronology
import Geodesy
import Glibc
import Locator
import Permission
import Positioning
import Receivers
import ServiceRuntime
import StateStore
import SystemCalls
import TestSupport
import Testing

@testable import sextantd

/// What is written again after a failure: when, until when, and what the log says about it.
@Suite struct FailedSaveTests {
    enum Part: CaseIterable { case track, visits, use, programsInUse, leases, motion }

    /// A part of the daemon that saves.
    private struct Saver {
        /// Records a change.
        let change: (Instant) throws -> Void
        /// Whether the first attempt comes with the deadline, and not with the change.
        var waits = false
        let deadline: () -> Instant?
        let tick: (Instant) -> Void
        /// A part of the message about a failure.
        let message: String
        /// The pauses after failures, in seconds.
        let pauses: [Double]
        /// The number of changes that are on disk.
        let saved: () throws -> Int
    }

    private static let doubled: [Double] = [10, 20, 40, 80, 160, 320, 600, 600]
    private static let year = Instant.Span.seconds(86_400 * 365)
    private let scratch: Scratch
    private let disk: FaultyDisk
    private let recorder = LogRecorder()
    private let programs = (1...2).map { ProgramID(user: 1000, unit: "\($0).service") }

    init() throws {
        scratch = try Scratch()
        disk = FaultyDisk(scratch.path)
    }

    @Test(arguments: Part.allCases)
    func `what cannot be written is written later, and the log says it once`(part: Part) throws {
        let saver = try saver(of: part)
        var now = HostClock.now + .seconds(3600)
        for count in 1...2 {
            try setFailing(true, part)
            try saver.change(now)
            if saver.waits {
                now = try #require(saver.deadline())
                saver.tick(now)
            }
            for pause in saver.pauses {
                #expect(saver.deadline() == now + .seconds(pause))
                now = now + .seconds(pause)
                saver.tick(now)
            }
            #expect(recorder.count(saver.message) == count)
            try setFailing(false, part)
            now = try #require(saver.deadline())
            saver.tick(now)
            #expect(try saver.saved() == count)
            #expect(saver.deadline().map { $0 > now } ?? true)
            now = now + .seconds(3600)
            saver.tick(now)
        }
    }

    private func setFailing(_ fails: Bool, _ part: Part) throws {
        switch part {
        case .programsInUse:
            // It is in the way of the new file.
            let name = scratch("in-use.new")
            try systemCall("blocking") { fails ? mkdir(name, 0o755) : rmdir(name) }
        case .motion:
            let name = scratch("motion.new")
            try systemCall("blocking") { fails ? mkdir(name, 0o755) : rmdir(name) }
        case .visits:
            // The database cannot be opened.
            let (name, away) = (scratch.path, "\(scratch.path).away")
            if !fails { unlink(name) }
            try systemCall("moving") { fails ? rename(name, away) : rename(away, name) }
            if fails { close(open(name, O_CREAT | O_WRONLY, 0o600)) }
        default:
            disk.heal()
            if fails { disk.fail(.write, at: 0, count: .max) }
        }
    }

    private func saver(of part: Part) throws -> Saver {
        switch part {
        case .track: trackSaver()
        case .visits: visitSaver()
        case .use: try useSaver()
        case .programsInUse: try useFileSaver()
        case .leases: try leaseSaver()
        case .motion: try motionSaver()
        }
    }

    private func trackSaver() -> Saver {
        let store = TrackStore(directory: scratch.path, log: recorder.log)
        store.apply(Self.year, at: .zero)
        var time = HostClock.utc.milliseconds - 60_000
        return Saver(
            change: { now in
                time += 1000
                store.add(TrackRow(time: time, latitude: 1, longitude: 2, accuracy: 30), at: now)
            }, waits: true, deadline: { store.deadline }, tick: { store.tick(at: $0) },
            message: "cannot keep the track", pauses: Self.doubled,
            saved: {
                let copy = try copy()
                let other = TrackStore(directory: copy.path, log: recorder.log)
                other.apply(Self.year, at: .zero)
                return try other.points(from: TrackTable.Place(), in: .min..<(.max), limit: 9).points.count
            })
    }

    private func visits(in directory: Scratch? = nil) -> VisitStore {
        var settings = Settings()
        settings.visitLifetime = Self.year
        return VisitStore(database(in: directory), settings: settings, log: recorder.log)
    }

    private func recordVisit(_ store: VisitStore, at now: Instant) throws {
        let place = try #require(Coordinate(latitude: 48, longitude: 11))
        let arrival = Stay.Moment(at: now, time: HostClock.utc.advanced(by: .zero - .seconds(60)))
        store.record(Stay(coordinate: place, radius: 20, arrival: arrival), for: [7], at: now)
    }

    private func visitSaver() -> Saver {
        let store = visits()
        return Saver(
            change: { now in try recordVisit(store, at: now) }, deadline: { store.deadline },
            tick: { _ = store.tick(at: $0) }, message: "cannot keep visits",
            pauses: Self.doubled,
            saved: {
                let copy = try copy()
                return try visits(in: copy).visits(
                    of: 7, before: .max, in: .min..<(.max), limit: 9, at: .zero
                ).count
            })
    }

    private func context() throws -> ServiceContext {
        var settings = Settings()
        settings.state = scratch.path
        settings.socket = scratch("socket")
        return try ServiceContext(settings, log: recorder.log)
    }

    private func useSaver() throws -> Saver {
        let context = try context()
        var count = 0
        return Saver(
            change: { now in
                context.uses.setMonitoring([programs[count]], at: now)
                count += 1
            }, waits: true,
            deadline: { context.uses.deadline }, tick: { context.uses.endTurn(at: $0) },
            message: "cannot save the record of use", pauses: [60, 60, 60],
            saved: {
                let copy = try copy()
                return try UseStore(database(in: copy)).records(
                    .all, before: .max, since: nil, limit: 9, at: .zero
                ).count
            })
    }

    private func useFileSaver() throws -> Saver {
        let context = try context()
        var count = 0
        return Saver(
            change: { now in
                // The record itself is due at once, and is saved.
                context.uses.setMonitoring([programs[count]], at: now - .seconds(3600))
                context.uses.endTurn(at: now)
                count += 1
            }, deadline: { context.uses.deadline }, tick: { context.uses.endTurn(at: $0) },
            message: "cannot show which programs use the location",
            pauses: [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600],
            saved: { Scratch.text(of: scratch("in-use")).hasPrefix("\(programs[count - 1]) ") ? count : 0 })
    }

    private func leaseSaver() throws -> Saver {
        let permissions = PermissionCenter(database: database(), policy: PermissionPolicy(), log: recorder.log)
        for program in programs {
            let decision = PermissionDecision(.always, by: .administrator(user: 0), at: HostClock.utc)
            _ = try permissions.decide(decision, about: program)
            _ = permissions.beginRequest(of: program)
        }
        var number = 0
        return Saver(
            change: { _ in
                #expect(permissions.keepActive(PermissionClientID(number), of: programs[number]))
                number += 1
                permissions.leasesChanged()
                permissions.saveLeases()
            }, waits: true, deadline: { permissions.deadline }, tick: { permissions.endTurn(at: $0) },
            message: "cannot save leases", pauses: [10, 10, 10],
            saved: {
                let copy = try copy()
                return try PermissionStore(database(in: copy)).contents().leases.count
            })
    }

    private func motionSaver() throws -> Saver {
        let context = try context()
        let service = MotionService(context)
        var count = 0
        return Saver(
            change: { now in
                context.locator.motion.add([
                    MotionSource(name: "wind", origin: "\(count)", trust: .trusted),
                    MotionSource(name: "door\(count)", trust: .trusted, departures: 3),
                ])
                count += 1
                context.locator.motion.setOrigin("other", of: "wind")
                service.endTurn(at: now)
            }, deadline: { service.deadline }, tick: { service.endTurn(at: $0) },
            message: "what motion sources have proven is lost", pauses: [60, 120, 240, 480, 960, 1920, 3600, 3600],
            saved: { Scratch.text(of: scratch("motion")).contains(" door\(count - 1)\n") ? count : 0 })
    }

    /// What another process would find.
    private func copy() throws -> Scratch {
        let copy = try Scratch()
        scratch.copyFiles(to: copy)
        return copy
    }

    private func database(in directory: Scratch? = nil) -> StateDatabase {
        StateDatabase(directory: (directory ?? scratch).path, log: recorder.log)
    }

    @Test func `only a file that was replaced while it was open is reported as lost`() throws {
        let file = database()
        for _ in 0..<2 { _ = try file.open(at: HostClock.utc) }
        #expect(file.lossCount == 0 && recorder.count("was moved, replaced or deleted") == 0)
        for name in scratch.names { unlink(scratch(name)) }
        for _ in 0..<2 { _ = try file.open(at: HostClock.utc) }
        #expect(file.lossCount == 1 && recorder.count("was moved, replaced or deleted") == 1)
    }

    @Test func `permissions that cannot be read are read later, and until then no program gets the location`() throws {
        try PermissionStore(database()).save(
            PermissionDecision(.always, by: .administrator(user: 0), at: HostClock.utc), about: programs[0])
        disk.fail(.read, at: 0, count: .max)
        let permissions = PermissionCenter(database: database(), policy: PermissionPolicy(), log: recorder.log)
        permissions.start(on: try EventLoop())
        var now = try #require(permissions.deadline)
        permissions.tick(at: now)
        for pause in Self.doubled.dropFirst() {
            #expect(permissions.deadline == now + .seconds(pause) && permissions.failure != nil)
            #expect(!permissions.verdict(of: programs[0]).allowsLocation)
            now = now + .seconds(pause)
            permissions.tick(at: now)
        }
        let secret = permissions.reducedSecret()
        #expect(recorder.count("cannot read permissions") == 1)
        disk.heal()
        now = try #require(permissions.deadline)
        permissions.tick(at: now)
        #expect(permissions.failure == nil && recorder.count("permissions can be read again") == 1)
        #expect(permissions.verdict(of: programs[0]).allowsLocation)
        #expect(permissions.deadline == now, "the secret that was created meanwhile")
        permissions.endTurn(at: now)
        #expect(permissions.deadline == nil)
        let copy = try copy()
        #expect(try PermissionStore(database(in: copy)).contents().secret?.bytes == secret.bytes)
    }

    @Test func `permissions are written again to a file that replaces the lost one`() throws {
        let (file, now) = (database(), HostClock.now)
        let permissions = PermissionCenter(database: file, policy: PermissionPolicy(), log: recorder.log)
        let decision = PermissionDecision(.denied, by: .administrator(user: 0), at: HostClock.utc)
        _ = try permissions.decide(decision, about: programs[0])
        for name in scratch.names where !name.hasSuffix(".decided") { unlink(scratch(name)) }
        let replacement = try file.open(at: HostClock.utc)
        #expect(permissions.deadline == .zero)
        disk.fail(.write, at: 0, count: .max)
        for seconds in [0.0, 5, 10] { permissions.endTurn(at: now + .seconds(seconds)) }
        #expect(permissions.deadline == now + .seconds(20))
        #expect(recorder.count("cannot store permissions again") == 2)
        disk.heal()
        permissions.endTurn(at: now + .seconds(20))
        #expect(permissions.deadline == nil)
        let copy = try copy()
        #expect(try PermissionStore(database(in: copy)).contents().decisions.keys.elementsEqual([programs[0]]))
        withExtendedLifetime(replacement) {}
    }

    @Test func `visits that wait are written at the end`() throws {
        let (store, now) = (visits(), HostClock.now)
        try setFailing(true, .visits)
        try recordVisit(store, at: now)
        try setFailing(false, .visits)
        store.finish(at: now)
        #expect(try store.visits(of: 7, before: .max, in: .min..<(.max), limit: 9, at: now).count == 1)
        #expect(store.deadline == now + .seconds(10), "only the file is to be closed")
        #expect(store.tick(at: now + .seconds(10)) && store.deadline == nil)
    }

    @Test func `visits that were erased while they waited are not tried again and again`() throws {
        let (store, now) = (visits(), HostClock.now)
        try setFailing(true, .visits)
        try recordVisit(store, at: now)
        var settings = Settings()
        settings.visitLifetime = .zero
        store.apply(settings)
        let retry = try #require(store.deadline)
        #expect(!store.tick(at: retry) && store.deadline == nil)
        try setFailing(false, .visits)
    }

    /// The receiver's time and the host's may both be wrong.
    @Test(arguments: [10.0, -10])
    func `a visit expires only if it is too old for the receiver and for the host`(days: Double) throws {
        let (store, now) = (visits(), HostClock.now)
        var settings = Settings()
        settings.visitLifetime = .seconds(86_400)
        store.apply(settings)
        let place = try #require(Coordinate(latitude: 48, longitude: 11))
        let time = HostClock.utc.advanced(by: .seconds(86_400 * days))
        for time in [min(time, HostClock.utc).advanced(by: .seconds(-60)), time] {
            store.record(
                Stay(coordinate: place, radius: 20, arrival: Stay.Moment(at: now, time: time)), for: [7], at: now)
        }
        settings.visitLifetime = Self.year
        store.apply(settings)
        #expect(try store.visits(of: 7, before: .max, in: .min..<(.max), limit: 9, at: now).count == 2)
    }

    @Test func `records of use that do not fit into memory are reported as lost`() throws {
        let (context, now) = (try context(), HostClock.now)
        disk.fail(.write, at: 0, count: .max)
        for number in 0...2048 {
            context.uses.setMonitoring([ProgramID(user: 1000, unit: "\(number).service")], at: now)
        }
        context.uses.setMonitoring([], at: now)
        context.uses.endTurn(at: now + .seconds(60))
        #expect(recorder.count("lost 1 records of use") == 1)
    }

    @Test func `the file of programs in use that cannot be removed is an error, and an absent one is none`() throws {
        var file = InUseFile(besideSocket: scratch("socket"))
        try file.write([])
        try Directory.make(scratch("in-use"))
        file = InUseFile(besideSocket: scratch("socket"))
        #expect(throws: SystemError.self) { try file.write([]) }
    }

    @Test func `the last place that cannot be read is reported, and an absent one is not`() throws {
        _ = AssistanceService(try context())
        #expect(recorder.count("last place") == 0)
        try Directory.make(scratch("assistance/starts"))
        _ = AssistanceService(try context())
        #expect(recorder.count("cannot read the last place") == 1)
    }

    @Test(arguments: [(ENOSPC, true), (EIO, false)])
    func `the track is read from a full disk, and not from one that fails`(error: Int32, isRead: Bool) throws {
        let track = TrackStore(directory: scratch.path, log: recorder.log)
        track.apply(Self.year, at: .zero)
        let row = TrackRow(time: HostClock.utc.milliseconds, latitude: 1, longitude: 2, accuracy: 30)
        track.add(row, at: .zero)
        track.save(at: .zero)
        disk.fail(.write, at: 0, count: .max, error: error)
        track.add(row, at: .zero)
        let points = try? track.points(from: TrackTable.Place(), in: .min..<(.max), limit: 9).points
        #expect(points?.count == (isRead ? 1 : nil))
    }

    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a file system"))
    func `permissions are read from a file system that cannot be written`() throws {
        let small = try #require(SmallDisk(in: scratch))
        let database = { StateDatabase(directory: small.path, log: recorder.log) }
        try PermissionStore(database()).save(
            PermissionDecision(.always, by: .administrator(user: 0), at: HostClock.utc), about: programs[0])
        try #require(small.setReadOnly(true))
        #expect(try PermissionStore(database()).contents().decisions.keys.elementsEqual([programs[0]]))
    }

    @Test func `energy that cannot be saved is saved an hour later, and the log says it once`() throws {
        let store = EnergyStore(database())
        var now = HostClock.now
        let energy = EnergyAccounting(store: store, memory: MemoryTrimmer(), log: recorder.log, at: now)
        for count in 1...2 {
            disk.fail(.write, at: 0, count: .max)
            for attempt in 1...3 {
                now = now + .seconds(3600)
                energy.update([], wakeups: UInt64(count * 10 + attempt), at: now, includingUnchanged: true)
                #expect(energy.isSaveDue(at: now))
                energy.save(at: now)
            }
            #expect(recorder.count("cannot save energy usage") == count)
            disk.heal()
            energy.save(at: now)
            #expect(try !store.history().isEmpty)
        }
    }

    @Test func `what cannot be erased of satellites is erased a minute later`() throws {
        let context = try context()
        try Directory.make(scratch("assistance/starts.new"))
        try scratch.write("", to: "assistance/database1")
        let (service, now) = (AssistanceService(context), context.loop.now)
        service.forgetPlace(at: now)
        #expect(service.deadline == now + .seconds(60) && recorder.count("until it can be written") == 1)
        rmdir(scratch("assistance/starts.new"))
        service.endTurn(at: now + .seconds(59))
        #expect(access(scratch("assistance/starts"), F_OK) != 0)
        service.endTurn(at: now + .seconds(60))
        #expect(service.deadline == nil && Scratch.names(in: scratch("assistance")) == ["starts"])
    }
}
