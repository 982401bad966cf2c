import CLinux
import Chronology
import DaemonSupport
import Glibc
import Locator
import Permission
import ServiceRuntime
import SextantAPI
import SystemCalls
import TestSupport
import Testing
import Varlink

@testable import SerialPorts
@testable import sextantd

/// What motion sources have proven, on disk.
@Suite struct MotionRecordsTests {
    private static let date = UTCTime(milliseconds: 1_800_000_000_000)
    private static let now = Instant.zero + .seconds(1000)

    @Test func `sources are written and read, and count as absent until they report`() throws {
        let sources = [
            MotionSource(name: "door", origin: "input gpio-keys gpio-keys/input0 1 528", departures: 2),
            MotionSource(name: "new", origin: "1000"),
            MotionSource(name: "ignition", origin: "998:ignition.service", trust: .trusted, departures: 3),
            MotionSource(name: "lid-1", trust: .deaf, distrustedUntil: Self.now + .seconds(60)),
            MotionSource(name: "wind", trust: .nervous, distrustedUntil: Self.now + .seconds(3)),
        ]
        let text = MotionRecords.text(of: sources, at: Self.now, date: Self.date)
        #expect(
            text == """
                sextant motion 1
                unproven 2 - door input gpio-keys gpio-keys/input0 1 528
                trusted 3 - ignition 998:ignition.service
                deaf 0 1800000060000 lid-1
                nervous 0 1800000003000 wind

                """)
        let read = try #require(MotionRecords.sources(in: text, at: Self.now, date: Self.date))
        // One that has proven nothing is not written.
        let kept = sources.filter(\.hasProof)
        #expect(read.map(\.trust) == kept.map(\.trust) && read.map(\.departures) == kept.map(\.departures))
        #expect(read.map(\.distrustedUntil) == kept.map(\.distrustedUntil) && read.map(\.origin) == kept.map(\.origin))
        #expect(read.map { $0.program?.user } == [nil, 998, nil, nil])
        #expect(read.allSatisfy { !$0.isAvailable })
    }

    @Test func `a clock that was wrong distrusts a source for seven days at most, and never for less than none`() throws
    {
        let text = "sextant motion 1\ndeaf 0 9223372036854775807 a\ndeaf 0 -9223372036854775808 b\n"
        let read = try #require(MotionRecords.sources(in: text, at: Self.now, date: Self.date))
        #expect(read.map(\.distrustedUntil) == [Self.now + MotionSource.distrustDuration, Self.now])
    }

    @Test(arguments: [
        "", "sextant motion 2\n", "sextant motion 1\ntrusted 3 -\n", "sextant motion 1\ntrusted 4 - a\n",
        "sextant motion 1\ntrusted x - a\n", "sextant motion 1\ntrusted 3 5 a\n", "sextant motion 1\ndeaf 0 - a\n",
        "sextant motion 1\ndeaf 0 x a\n", "sextant motion 1\nunproven 0 x a\n", "sextant motion 1\ngood 3 - a\n",
        "sextant motion 1\ntrusted 3 - \u{1B}\n",
        "sextant motion 1\n" + String(repeating: "trusted 3 - a\n", count: 17),
    ])
    func `a damaged file is recognised`(text: String) {
        #expect(MotionRecords.sources(in: text, at: Self.now, date: Self.date) == nil)
    }
}

@Suite struct SaveScheduleTests {
    @Test func `a state that could not be saved is due again after a minute, then after two`() {
        var schedule = SaveSchedule(saved: 3)
        #expect(!schedule.isDue(3, at: .zero) && schedule.isDue(4, at: .zero))
        schedule.failed(at: .zero)
        let retry = Instant.zero + .seconds(60)
        #expect(schedule.retryAt == retry && !schedule.isDue(4, at: .zero) && schedule.isDue(4, at: retry))
        schedule.failed(at: retry)
        #expect(schedule.retryAt == retry + .seconds(120))
        schedule.succeeded(4)
        #expect(schedule.retryAt == nil && !schedule.isDue(4, at: retry) && schedule.isDue(5, at: retry))
    }
}

/// Reports under a name, and what others see of them.
@Suite struct MotionReportStandingTests {
    private let owner = ProgramID(stored: "998:ignition.service")
    private let other = ProgramID(stored: "997")

    @Test func `nobody takes the name of a source that has proven something`() throws {
        let (owner, other) = (try #require(owner), try #require(other))
        let proven = MotionSource(name: "s", origin: "\(owner)", departures: 1)
        #expect(proven.report(of: owner, isAdministrator: false) == .own)
        #expect(proven.report(of: other, isAdministrator: true) == .trial)
        guard case .refused(let detail) = proven.report(of: other, isAdministrator: false) else {
            return #expect(Bool(false), "it is not refused")
        }
        #expect(detail.contains("998:ignition.service") && detail.contains("motion forget s"))
        let unproven = MotionSource(name: "s", origin: "\(owner)")
        #expect(unproven.report(of: other, isAdministrator: false) == .own)
        #expect(unproven.report(of: other, isAdministrator: true) == .trial)
        #expect(MotionSource(name: "s", origin: "0").report(of: other, isAdministrator: true) == .own)
    }

    @Test(arguments: [
        (EACCES, MotionActivity.denied), (EPERM, .denied), (EAFNOSUPPORT, .denied), (EBUSY, .busy), (ENODEV, .absent),
    ])
    func `a device that the unit or its mode does not permit is denied`(code: Int32, activity: MotionActivity) {
        #expect(MotionActivity(SystemError(code: code, operation: "listening on can0")) == activity)
    }

    @Test func `who may not know the times of reports does not see their numbers`() {
        var locator = Locator()
        locator.motion.add([MotionSource(name: "s", departures: 1)])
        locator.reportMotion(from: "s", at: .zero)
        for sees in [true, false] {
            let message = MotionService.message(
                on: locator.motion.sources[0], of: locator.motion, nil, seesTimes: sees, at: .zero)
            #expect(message.reports == (sees ? 1 : 0) && (message.lastReport != nil) == sees && message.departures == 1)
        }
    }
}

/// A motion device in the event loop, with a FIFO in its place.
@Suite struct MotionPortTests {
    private final class Bench {
        let loop: EventLoop
        /// The end of the socket that is open, to which frames are written.
        private var writer: Int32 = -1
        var reports: [Instant] = []
        var changes = 0
        var failure: SystemError?
        var readFailure: Int32?

        init() throws { loop = try EventLoop() }

        deinit { close(writer) }

        func port() -> MotionPort {
            let setting = MotionSetting(name: "bus", device: .can(interface: "can0"))
            return MotionPort(
                setting, loop: loop,
                open: { [unowned self] kind throws(SystemError) in
                    if let failure { throw failure }
                    var ends: [Int32] = [-1, -1]
                    try systemCall("creating a pipe") { linux_pipe(&ends) }
                    close(writer)
                    writer = ends[1]
                    var calls = MotionDevice.Calls()
                    calls.bindInterface = { _ in ends[0] }
                    calls.read = { [unowned self] in
                        guard let readFailure else { return read($0, $1, $2) }
                        errno = readFailure
                        return -1
                    }
                    return try MotionDevice(kind, calls: calls)
                },
                onChange: { [unowned self] report in
                    if let report { reports.append(report) } else { changes += 1 }
                })
        }

        func frame() { _ = write(writer, [UInt8](repeating: 0, count: 16), 16) }

        /// Runs the loop until it would wait.
        func settle() throws {
            loop.onDeadline = { [unowned self] _ in loop.exit(0) }
            loop.setDeadline(HostClock.now)
            _ = try loop.run()
        }
    }

    @Test func `a report at rest is passed on once, and the device is watched again after a pause`() throws {
        let bench = try Bench()
        let port = bench.port()
        let rest = bench.loop.now
        // What came during the drive is no report, however much it is.
        port.openIfAbsent()
        for _ in 0..<4000 { bench.frame() }
        port.update(restingSince: rest, at: rest)
        #expect(port.deadline == nil && port.problem == nil)
        bench.frame()
        bench.frame()
        try bench.settle()
        #expect(bench.reports.count == 1 && bench.changes == 1 && port.identity == "can can0")
        let deadline = try #require(port.deadline)
        #expect(deadline - rest >= .seconds(20))
        port.update(restingSince: rest, at: deadline - .seconds(1))
        #expect(port.deadline == deadline)
        port.update(restingSince: rest, at: deadline)
        #expect(port.deadline == nil)
        // While the device moves, nothing is due.
        port.update(restingSince: nil, at: deadline)
        #expect(port.deadline == nil)
    }

    @Test func `an interface that is down stays bound, and its first frame is a report`() throws {
        let bench = try Bench()
        let port = bench.port()
        let rest = bench.loop.now
        port.update(restingSince: rest, at: rest)
        bench.readFailure = ENETDOWN
        bench.frame()
        // A loop that has ended does not run again.
        bench.loop.onDeadline = { [unowned bench] _ in
            guard bench.readFailure != nil else { return bench.loop.exit(0) }
            #expect(port.problem?.code == ENETDOWN && bench.changes == 2 && !port.awaitsArrival)
            port.update(restingSince: rest, at: port.deadline ?? rest)
            bench.readFailure = nil
            bench.loop.setDeadline(HostClock.now)
        }
        bench.loop.setDeadline(HostClock.now)
        _ = try bench.loop.run()
        #expect(port.problem == nil && bench.changes == 3 && bench.reports.count == 1)
    }

    @Test func `only a device that is absent or denied waits for udev`() throws {
        let bench = try Bench()
        let port = bench.port()
        for (code, awaits) in [(EBUSY, false), (ENOENT, true), (EACCES, true), (ENODEV, true)] {
            bench.failure = SystemError(code: code, operation: "opening")
            port.openIfAbsent()
            #expect(port.awaitsArrival == awaits && port.setting.device.subsystem == "net")
        }
    }

    @Test func `a device that is absent is tried again at the next rest`() throws {
        let bench = try Bench()
        let port = bench.port()
        let busy = SystemError(code: EBUSY, operation: "watching events of /dev/iio:device0")
        bench.failure = busy
        port.openIfAbsent()
        port.openIfAbsent()
        #expect(port.problem == busy && bench.changes == 1)
        port.update(restingSince: .zero, at: .zero)
        #expect(port.problem == busy && bench.changes == 1 && port.deadline == nil)
        bench.failure = nil
        port.update(restingSince: nil, at: .zero)
        port.update(restingSince: .zero + .seconds(1), at: .zero + .seconds(1))
        #expect(port.problem == nil && bench.changes == 2)
    }
}

extension WholeDaemon {
    /// Reports on the socket.
    @Suite struct MotionSources {
        private static let sources = "io.sextant.Manager.GetMotionSources"
        private static let report = "io.sextant.Manager.ReportMotion"
        private static let forget = "io.sextant.Manager.ForgetMotionSource"

        private func sources(_ daemon: TestDaemon) throws -> [JSONValue] {
            try daemon.connect().call(Self.sources)["sources"]?.array ?? []
        }

        @Test func `a report adds a source, and what it has proven survives SIGKILL`() throws {
            let receivers = "[receivers]\ndiscover = false\n"
            let configuration = receivers + "[motion]\nreporters = [\"ignition.service\"]\n"
            try TestDaemon.run(configuration: configuration) { daemon in
                #expect(try sources(daemon).isEmpty)
                let client = try daemon.connect()
                for _ in 0..<2 { _ = try client.call(Self.report, ["source": "ignition"]) }
                let known = try #require(try sources(daemon).first)
                #expect(known["name"] == "ignition" && known["kind"] == "report" && known["reports"] == 2)
                #expect(known["activity"] == "idle" && known["trust"] == "unproven" && known["departures"] == 0)
                // One that has proven nothing is not worth a write.
                #expect(access(daemon.scratch("state/motion"), F_OK) != 0)
                daemon.kill()
                _ = try daemon.process.waitForEnd()
                _ = mkdir(daemon.scratch("state"), 0o700)
                _ = try daemon.scratch.write(
                    "sextant motion 1\ntrusted 3 - ignition 998:ignition.service\n"
                        + "deaf 0 9999999999999 door \(geteuid())\n", to: "state/motion")
                try daemon.startAgain()
                let read = try sources(daemon)
                #expect(read.map { $0["trust"] } == ["trusted", "deaf"])
                #expect(read.map { $0["activity"] } == ["absent", "absent"] && read[1]["distrustedUntil"] != nil)
                _ = try daemon.connect().call(Self.report, ["source": "ignition"])
                // An administrator may try it. A program that may no longer report is not trusted.
                let tried = try #require(try sources(daemon).first)
                #expect(tried["activity"] == "absent" && tried["trust"] == "trusted" && tried["reports"] == 0)
                _ = try daemon.scratch.write(receivers, to: "sextant.toml")
                daemon.process.send(SIGHUP)
                try waitUntil("the configuration is loaded") { daemon.logged("configuration reloaded") == 1 }
                #expect(try sources(daemon).map { $0["name"] } == ["door"])
                _ = try daemon.connect().call(Self.forget, ["source": "door"])
                #expect(try sources(daemon).isEmpty)
                let raw = try RawClient(daemon.socket)
                raw.send("{\"method\":\"\(Self.forget)\",\"parameters\":{\"source\":\"door\"}}\0")
                #expect(try raw.next()?.error == "io.sextant.Manager.NoSuchMotionSource")
            }
        }

        @Test func `an invalid name is refused, and a damaged file is no obstacle`() throws {
            let scratch = try Scratch()
            _ = mkdir(scratch("state"), 0o700)
            _ = try scratch.write("nonsense\n", to: "state/motion")
            try TestDaemon.run(scratch: scratch) { daemon in
                #expect(daemon.logged("motion sources have proven nothing") == 1)
                let client = try RawClient(daemon.socket)
                for name in ["", "a b", "x\\n", String(repeating: "a", count: 65)] {
                    client.send("{\"method\":\"\(Self.report)\",\"parameters\":{\"source\":\"\(name)\"}}\0")
                    #expect(try client.next()?.error == "org.varlink.service.InvalidParameter")
                }
                let known = try sources(daemon)
                #expect(known.isEmpty)
            }
        }

        @Test func `devices of the configuration are sources, with the reason why one cannot be read`() throws {
            let configuration = """
                [receivers]
                discover = false
                [motion]
                trust = "wake-only"
                [[motion.source]]
                name = "tilt"
                kind = "gpio"
                device = "/dev/gpiochip99"
                line = 4
                """
            try TestDaemon.run(configuration: configuration) { daemon in
                let reply = try daemon.connect().call(Self.sources)
                let tilt = try #require(reply["sources"]?.array?.first)
                #expect(reply["use"] == "wakeOnly" && reply["rareChecks"] == false)
                #expect(tilt["kind"] == "gpio" && tilt["activity"] == "absent")
                #expect(tilt["problem"] == "opening /dev/gpiochip99: No such file or directory")
                #expect(daemon.logged("the motion source tilt cannot be read") == 1)
                let client = try RawClient(daemon.socket)
                client.send("{\"method\":\"\(Self.report)\",\"parameters\":{\"source\":\"tilt\"}}\0")
                #expect(try client.next()?.error == "io.sextant.Manager.MotionReportNotAllowed")
                _ = try daemon.scratch.write(
                    "[receivers]\ndiscover = false\n[motion]\ntrust = \"off\"\n", to: "sextant.toml")
                daemon.process.send(SIGHUP)
                try waitUntil("the configuration is loaded") { daemon.logged("configuration reloaded") == 1 }
                // Reports are accepted and ignored.
                _ = try daemon.connect().call(Self.report, ["source": "late"])
                #expect(try sources(daemon).map { $0["name"] } == ["tilt"])
            }
        }
    }
}
