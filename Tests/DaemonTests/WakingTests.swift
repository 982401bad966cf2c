import CLinux
import Chronology
import Geodesy
import Geofencing
import Glibc
import Permission
import Positioning
import ServiceRuntime
import SextantAPI
import StateStore
import SystemCalls
import TestSupport
import Testing

@testable import sextantd

/// The files of monitors with waiting events, at which systemd starts the programs.
@Suite struct WakingTests {
    private let scratch: Scratch
    private let file: StateDatabase
    private let now = Instant.zero + .seconds(100)
    private let recorder = LogRecorder()

    init() throws {
        scratch = try Scratch()
        file = StateDatabase(directory: scratch.path, log: recorder.log)
    }

    private func start(mayWake: @escaping (MonitorKey) -> Bool = { _ in true }) -> (MonitorRegistry, WakeFiles) {
        let registry = MonitorRegistry(database: file, limits: MonitorLimits(Settings()), log: recorder.log)
        registry.start(at: now)
        let waking = WakeFiles(
            registry, socket: scratch("io.sextant"), log: recorder.log, mayWake: mayWake)
        waking.update(registry.subscriptions.takeChanged(), at: now)
        return (registry, waking)
    }

    private func key(
        _ program: String = "\(getuid()):user:boat.service", name: String = "home"
    ) throws -> MonitorKey {
        MonitorKey(owner: try #require(ProgramID(stored: program)), name: name)
    }

    private func exists(_ name: String) -> Bool { access(scratch("wake/\(name)"), F_OK) == 0 }
    private var boat: String { "\(getuid())/user:boat.service:home" }

    /// Adds a condition on visits and records an arrival.
    private func arrive(_ registry: MonitorRegistry, at key: MonitorKey) throws {
        _ = try registry.add([NewCondition("visits", FenceCondition(.visits))], to: key, at: now)
        #expect(registry.database.saveCalls(at: now))
        let entry = try #require(registry.takeChanges(at: now)?.added.first)
        registry.record([ConditionEvent(entry.id, kind: .entered, state: .satisfied)], at: now)
    }

    @Test func `a file exists while an event waits and nobody has its monitor open`() throws {
        let (registry, waking) = start()
        let key = try key()
        try arrive(registry, at: key)
        waking.update(registry.subscriptions.takeChanged(), at: now)
        #expect(exists(boat))
        _ = try registry.open(key, MonitorSubscriptions.Subscription(session: 1, process: 1), at: now)
        waking.update(registry.subscriptions.takeChanged(), at: now)
        #expect(!exists(boat))
        registry.subscriptions.close(key, session: 1)
        waking.update(registry.subscriptions.takeChanged(), at: now)
        #expect(exists(boat))
        let record = try registry.record("visits", of: key, at: now)
        let event = try #require(record.nextEvent)
        #expect(try registry.acknowledge([Int(event.sequence)], of: key, at: now) == 1)
        waking.update(registry.subscriptions.takeChanged(), at: now)
        #expect(!exists(boat))
    }

    @Test func `removing the condition or the monitor removes the file`() throws {
        let (registry, waking) = start()
        let (first, second) = (try key(), try key("\(getuid())", name: "work"))
        try arrive(registry, at: first)
        try arrive(registry, at: second)
        waking.update(registry.subscriptions.takeChanged(), at: now)
        #expect(exists(boat) && exists("\(getuid())/work"))
        _ = try registry.remove(["visits"], from: first, at: now)
        try registry.delete(second, at: now)
        waking.update(registry.subscriptions.takeChanged(), at: now)
        #expect(!exists(boat) && !exists("\(getuid())/work"))
    }

    @Test func `after a kill the files are those of the database`() throws {
        do {
            let (registry, waking) = start()
            try arrive(registry, at: key())
            waking.update(registry.subscriptions.takeChanged(), at: now)
        }
        // One file is missing and another is left over.
        #expect(unlink(scratch("wake/\(boat)")) == 0)
        let other = open(scratch("wake/\(getuid())/gone"), O_CREAT | O_WRONLY, 0o600)
        close(other)
        _ = start()
        #expect(exists(boat) && !exists("\(getuid())/gone"))
    }

    @Test func `a program that may not know the location is not started`() throws {
        let (registry, waking) = start { _ in false }
        try arrive(registry, at: key())
        waking.update(registry.subscriptions.takeChanged(), at: now)
        #expect(!exists(boat))
        let (_, restarted) = start { _ in false }
        #expect(try !exists(boat) && restarted.waitingMonitors(at: now) == [key()])
    }

    @Test func `only the user can list the files`() throws {
        let (registry, waking) = start()
        try arrive(registry, at: key())
        waking.update(registry.subscriptions.takeChanged(), at: now)
        var status = stat()
        #expect(stat(scratch("wake/\(getuid())"), &status) == 0)
        #expect(status.st_mode & 0o077 == 0)
        #expect(stat(scratch("wake"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o755)
    }

    @Test func `what is not a file of an earlier run stays`() throws {
        let text = try [("wake/photos", "beach"), ("wake/\(getuid())", "notes")].map { folder, name in
            try Directory.make(scratch(folder), mode: 0o700)
            let path = scratch("\(folder)/\(name)")
            let file = try #require(fopen(path, "w"))
            if name == "notes" { fputs("text", file) }
            fclose(file)
            return path
        }
        _ = start()
        for path in text { #expect(access(path, F_OK) == 0, "\(path)") }
    }

    @Test func `a directory behind a link is neither read nor written`() throws {
        try Directory.make(scratch("other/\(getuid())"), mode: 0o700)
        let other = scratch("other/\(getuid())/gone")
        close(open(other, O_CREAT | O_WRONLY, 0o600))
        #expect(symlink(scratch("other"), scratch("wake")) == 0)
        let (registry, waking) = start()
        try arrive(registry, at: key())
        waking.update(registry.subscriptions.takeChanged(), at: now)
        #expect(access(other, F_OK) == 0 && access(scratch("other/\(boat)"), F_OK) != 0)
        #expect(waking.deadline != nil)
    }

    @Test func `the file of one user does not depend on that of another, and is made after an error`() throws {
        try Directory.make(scratch("wake"))
        // Sorted before the user of the tests if that is not root, and after it otherwise.
        let blocked = getuid() == 0 ? 12 : 0
        let file = scratch("wake/\(blocked)")
        close(open(file, O_CREAT | O_WRONLY, 0o600))
        let (registry, waking) = start()
        try arrive(registry, at: key("\(blocked):boat.service"))
        try arrive(registry, at: key())
        waking.update(registry.subscriptions.takeChanged(), at: now)
        #expect(exists(boat) && !exists("\(blocked)/boat.service:home"))
        let retry = try #require(waking.deadline)
        #expect(unlink(file) == 0)
        waking.update(registry.subscriptions.takeChanged(), at: now)
        #expect(!exists("\(blocked)/boat.service:home"), "an error is not repeated with each change")
        waking.update(registry.subscriptions.takeChanged(), at: retry)
        #expect(exists("\(blocked)/boat.service:home") == (getuid() == 0) && exists(boat))
        #expect((waking.deadline == nil) == (getuid() == 0))
    }

    @Test func `files that cannot be made are tried again after growing pauses, and the log says it once`() throws {
        let (registry, waking) = start()
        var now = now
        for (count, name) in ["home", "boat"].enumerated() {
            let file = "\(getuid())/user:boat.service:\(name)"
            try Directory.make(scratch("wake/\(file)"), mode: 0o700)
            try arrive(registry, at: key(name: name))
            waking.update(registry.subscriptions.takeChanged(), at: now)
            for pause in [10.0, 20, 40, 80, 160, 320, 600, 600] {
                #expect(waking.deadline == now + .seconds(pause))
                waking.update([], at: now + .seconds(1))
                now = now + .seconds(pause)
                waking.update([], at: now)
            }
            #expect(recorder.count("cannot wake the programs") == count + 1)
            rmdir(scratch("wake/\(file)"))
            now = try #require(waking.deadline)
            waking.update([], at: now)
            #expect(waking.deadline == nil && exists(file))
        }
    }

    @Test(arguments: ["wake", "wake/12"])
    func `nothing is created or removed in a directory that others can write`(directory: String) throws {
        try Directory.make(scratch("wake/12"), mode: 0o700)
        try scratch.write("", to: "wake/12/other")
        chmod(scratch(directory), 0o777)
        let (registry, waking) = start()
        try arrive(registry, at: key("12:boat.service"))
        waking.update(registry.subscriptions.takeChanged(), at: now)
        #expect(!exists("12/boat.service:home") && exists("12/other"))
        chmod(scratch(directory), 0o755)
        waking.update(registry.subscriptions.takeChanged(), at: try #require(waking.deadline))
        #expect(exists("12/boat.service:home"))
    }

    @Test func `files of an earlier run that cannot be removed are removed later, and hold up no others`() throws {
        do {
            let (registry, waking) = start()
            try arrive(registry, at: key())
            waking.update(registry.subscriptions.takeChanged(), at: now)
        }
        try #require(unlink(scratch("wake/\(boat)")) == 0)
        try Directory.make(scratch("wake/12"), mode: 0o700)
        try scratch.write("", to: "wake/12/gone")
        chmod(scratch("wake/12"), 0o777)
        let (_, waking) = start()
        #expect(exists(boat) && exists("12/gone") && recorder.count("wake/12, which others own or can write") == 1)
        chmod(scratch("wake/12"), 0o755)
        waking.update([], at: try #require(waking.deadline))
        #expect(exists(boat) && !exists("12/gone") && waking.deadline == nil)
    }

    @Test func `a user gets access to a directory that a killed daemon left`() throws {
        try Directory.make(scratch("wake/12"), mode: 0o700)
        let (registry, waking) = start()
        try arrive(registry, at: key("12:boat.service"))
        waking.update(registry.subscriptions.takeChanged(), at: now)
        #expect(exists("12/boat.service:home"))
        #expect(getxattr(scratch("wake/12"), "system.posix_acl_access", nil, 0) > 4)
    }

    @Test func `a namespace follows a comma, and unsafe stored programs have no file`() throws {
        #expect(try WakeFiles.Name(key("1000/org.example.Boat"))?.file == ",org.example.Boat:home")
        #expect(try WakeFiles.Name(key("1000:user:a@b.service/x"))?.file == "user:a@b.service,x:home")
        #expect(try WakeFiles.Name(key("1000"))?.file == "home")
        #expect(try WakeFiles.Name(key("1000:../../etc/passwd")) == nil)
        #expect(try WakeFiles.Name(key("1000:..")) == nil)
        #expect(try WakeFiles.Name(key("1000:a b")) == nil)
        let long = String(repeating: "a", count: 251)
        #expect(try WakeFiles.Name(key("1000:\(long)")) == nil)
    }

    @Test func `the place of the last event survives a restart, acknowledged or not`() throws {
        let (registry, _) = start()
        let key = try key()
        let change = FenceCondition(.significantChange(SignificantChange()))
        _ = try registry.add([NewCondition("moves", change)], to: key, at: now)
        #expect(registry.database.saveCalls(at: now))
        let entry = try #require(registry.takeChanges(at: now)?.added.first)
        #expect(entry.place == nil)
        for (number, latitude) in [47.0, 48.0].enumerated() {
            var fix = Fix(mode: .threeD, quality: .autonomous)
            fix.coordinate = Coordinate(latitude: latitude, longitude: 8)
            fix.horizontalAccuracy = 5
            let kind: ConditionEvent.Kind = number == 0 ? .determined : .moved
            registry.record(
                [ConditionEvent(entry.id, kind: kind, state: .satisfied, location: fix)], at: now)
            #expect(try place(of: key)?.coordinate == fix.coordinate)
        }
        for _ in 0..<2 {
            let event = try #require(try registry.record("moves", of: key, at: now).nextEvent)
            #expect(try registry.acknowledge([Int(event.sequence)], of: key, at: now) == 1)
        }
        #expect(try place(of: key)?.coordinate.latitude == 48)
    }

    private func place(of key: MonitorKey) throws -> ConditionPlace? {
        let store = MonitorStore(try file.open(at: HostClock.utc))
        return try store.selection.unexpired(
            of: key.owner.description, after: ConditionOrdinal(0), limit: 10
        ).first?.place
    }
}
