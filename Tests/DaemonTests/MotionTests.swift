import CLinux
import Chronology
import DaemonSupport
import Glibc
import Locator
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
            MotionSource(name: "door", departures: 2),
            MotionSource(name: "ignition", trust: .trusted, departures: 3),
            MotionSource(name: "lid-1", trust: .deaf, distrustedUntil: Self.now + .seconds(60)),
            MotionSource(name: "wind", trust: .nervous, distrustedUntil: Self.now + .seconds(3)),
        ]
        let records = MotionRecords(sources, at: Self.now, date: Self.date)
        #expect(
            records.text == """
                sextant motion 1
                unproven 2 - door
                trusted 3 - ignition
                deaf 0 1800000060000 lid-1
                nervous 0 1800000003000 wind

                """)
        let read = try #require(MotionRecords(text: records.text)).sources(at: Self.now, date: Self.date)
        #expect(read.map(\.trust) == sources.map(\.trust) && read.map(\.departures) == sources.map(\.departures))
        #expect(read.map(\.distrustedUntil) == sources.map(\.distrustedUntil))
        #expect(read.allSatisfy { !$0.isAvailable })
    }

    @Test func `a clock that was wrong distrusts a source for seven days at most, and never for less than none`() throws
    {
        let text = "sextant motion 1\ndeaf 0 9223372036854775807 a\ndeaf 0 -9223372036854775808 b\n"
        let read = try #require(MotionRecords(text: text)).sources(at: Self.now, date: Self.date)
        #expect(read.map(\.distrustedUntil) == [Self.now + MotionSource.distrustDuration, Self.now])
    }

    @Test(arguments: [
        "", "sextant motion 2\n", "sextant motion 1\ntrusted 3 -\n", "sextant motion 1\ntrusted 4 - a\n",
        "sextant motion 1\ntrusted x - a\n", "sextant motion 1\ntrusted 3 5 a\n", "sextant motion 1\ndeaf 0 - a\n",
        "sextant motion 1\ndeaf 0 x a\n", "sextant motion 1\nunproven 0 x a\n", "sextant motion 1\ngood 3 - a\n",
        "sextant motion 1\ntrusted 3 - a b\n", "sextant motion 1\ntrusted 3 - \u{1B}\n",
        "sextant motion 1\n" + String(repeating: "trusted 3 - a\n", count: 17),
    ])
    func `a damaged file is recognised`(text: String) { #expect(MotionRecords(text: text) == nil) }
}

/// A motion device in the event loop, with a FIFO in its place.
@Suite struct MotionPortTests {
    private final class Bench {
        let scratch: Scratch
        let loop: EventLoop
        let writer: Int32
        var reports: [Instant] = []
        var changes = 0
        var failure: SystemError?

        init() throws {
            scratch = try Scratch()
            loop = try EventLoop()
            guard mkfifo(scratch("fifo"), 0o600) == 0 else { throw TestFailure("no FIFO") }
            let reader = open(scratch("fifo"), O_RDONLY | O_NONBLOCK)
            writer = open(scratch("fifo"), O_WRONLY | O_NONBLOCK)
            close(reader)
        }

        deinit { close(writer) }

        func port() -> MotionPort {
            let setting = MotionSetting(name: "bus", device: .can(interface: "can0"))
            return MotionPort(
                setting, loop: loop,
                open: { [unowned self] kind throws(SystemError) in
                    if let failure { throw failure }
                    let path = scratch("fifo")
                    var calls = MotionDevice.Calls()
                    calls.bindInterface = { _ in open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
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
            try loop.setDeadline(EventLoop.currentTime)
            _ = try loop.run()
        }
    }

    @Test func `a report at rest is passed on once, and the device is watched again after a pause`() throws {
        let bench = try Bench()
        let port = bench.port()
        let rest = bench.loop.now
        // What came during the drive is no report.
        port.openIfAbsent()
        bench.frame()
        port.update(restingSince: rest, at: rest)
        #expect(port.deadline == nil && port.problem == nil)
        bench.frame()
        bench.frame()
        try bench.settle()
        #expect(bench.reports.count == 1 && bench.changes == 0)
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

        private func sources(_ daemon: TestDaemon) throws -> [JSONValue] {
            try daemon.connect().call(Self.sources)["sources"]?.array ?? []
        }

        @Test func `a report adds a source, and what it has proven survives SIGKILL`() throws {
            try TestDaemon.run { daemon in
                #expect(try sources(daemon).isEmpty)
                let client = try daemon.connect()
                for _ in 0..<2 { _ = try client.call(Self.report, ["source": "ignition"]) }
                let known = try #require(try sources(daemon).first)
                #expect(known["name"] == "ignition" && known["kind"] == "report" && known["reports"] == 2)
                #expect(known["activity"] == "resting" && known["trust"] == "unproven" && known["departures"] == 0)
                daemon.kill()
                _ = try daemon.process.waitForEnd()
                _ = try daemon.scratch.write(
                    "sextant motion 1\ntrusted 3 - ignition\ndeaf 0 9999999999999 door\n", to: "state/motion")
                try daemon.startAgain()
                let read = try sources(daemon)
                #expect(read.map { $0["trust"] } == ["trusted", "deaf"])
                #expect(read.map { $0["activity"] } == ["absent", "absent"] && read[1]["distrustedUntil"] != nil)
                _ = try daemon.connect().call(Self.report, ["source": "ignition"])
                #expect(try sources(daemon).first?["activity"] == "resting")
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
