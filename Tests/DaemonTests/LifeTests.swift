import Glibc
import TestSupport
import Testing
import Varlink
import VarlinkClient

extension WholeDaemon {
    @Suite struct Life {
        @Test func `a restarted daemon takes over the socket of a killed one`() throws {
            try TestDaemon.runWithPort { daemon, port in
                var drive = Drive()
                for _ in 0..<3 {
                    try daemon.waitForReceiver("detectingBaudRate")
                    let stream = try daemon.subscribe()
                    try port.send(drive.next(3))
                    try stream.untilLocation()
                    daemon.kill()
                    #expect(throws: ClientError.disconnected(method: "io.sextant.Location.Subscribe")) {
                        while true { try stream.next() }
                    }
                    #expect(access(daemon.socket, F_OK) == 0, "a killed daemon leaves its socket behind")
                    try daemon.startAgain()
                }
                #expect(
                    try daemon.connect().call("io.sextant.Manager.GetStatus")["status"]?["pid"]
                        == .int(Int64(daemon.process.id)))
            }
        }

        @Test func `a second daemon exits and leaves the socket of the first`() throws {
            try TestDaemon.run { daemon in
                let second = try daemon.twin()
                #expect(try second.waitForEnd() == .code(1))
                #expect(second.output.contains(daemon.socket), "\(second.output)")
                #expect(second.output.contains("another"), "\(second.output)")
                #expect(
                    try daemon.connect().call("io.sextant.Manager.GetStatus")["status"]?["socket"]
                        == .string(daemon.socket))
            }
        }

        @Test func `a regular file at the socket path is not removed`() throws {
            let scratch = try Scratch()
            let path = try scratch.write("the work of a user", to: "notes")
            let daemon = try ChildProcess(
                [
                    Programs.path(of: "sextantd"), "--device", "/tmp/sextant-no-such-device", "--socket", path,
                    "--state", scratch("state"),
                ],
                record: scratch("log"))
            #expect(try daemon.waitForEnd() == .code(1))
            #expect(daemon.output.contains(path), "\(daemon.output)")
            #expect(Scratch.text(of: path) == "the work of a user")
        }

        @Test(arguments: [
            "/proc/sextant/socket", "/dev/null/socket", "/tmp", "/tmp/" + String(repeating: "s", count: 120),
        ])
        func `a socket that cannot be created ends the daemon with the reason`(_ path: String) throws {
            let scratch = try Scratch()
            let daemon = try ChildProcess(
                [
                    Programs.path(of: "sextantd"), "--device", "/tmp/sextant-no-such-device", "--socket", path,
                    "--state", scratch("state"),
                ],
                record: scratch("log"))
            #expect(try daemon.waitForEnd() == .code(1))
            #expect(daemon.output.contains("sextantd: ") && daemon.output.contains(path.prefix(7)), "\(daemon.output)")
        }

        /// An old init script or a careless launcher may close the standard descriptors; the next
        /// opened file would then become standard error.
        @Test func `with standard error closed no log text reaches a receiver`() throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            let program = ["sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh", try Programs.path(of: "sextantd")]
            try TestDaemon.run(devices: [port.link, scratch("none")], scratch: scratch, program: program) { daemon in
                try daemon.waitForReceiver("detectingBaudRate")
                daemon.process.send(SIGHUP)
                var drive = Drive()
                try port.send(drive.next(3))
                try daemon.subscribe().untilLocation()
                #expect(!port.received().contains("sextantd"))
            }
        }

        @Test(arguments: [SIGTERM, SIGINT])
        func `a termination signal ends the daemon within a second and cleans up`(_ signal: Int32) throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                let stream = try daemon.subscribe()
                let waiting = try RawClient(daemon.socket)
                waiting.send("{\"method\":\"io.sextant.Location.GetLocation\",\"parameters\":{\"timeout\":300}}\0")
                let time = try seconds {
                    daemon.terminate(signal)
                    let end = try daemon.process.waitForEnd()
                    #expect(end == .code(0))
                }
                #expect(time < 1, "\(time) s")
                #expect(access(daemon.socket, F_OK) != 0, "the socket is still there")
                #expect(try waiting.next() == nil)
                #expect(throws: ClientError.self) { while true { try stream.next() } }
                #expect(!port.isOpen)
            }
        }

        @Test func `SIGHUP reloads the configuration`() throws {
            let scratch = try Scratch()
            let (one, two) = (try VirtualPort(scratch("one")), try VirtualPort(scratch("two")))
            func configuration(_ ports: [VirtualPort], level: String = "info") -> String {
                ports.reduce("[service]\nlog_level = \"\(level)\"\n[receivers]\ndiscover = false\n") {
                    $0 + "[[receiver]]\ndevice = \"\($1.link)\"\nbaud = 9600\n"
                }
            }
            try TestDaemon.run(configuration: configuration([one]), scratch: scratch) { daemon in
                func reload(_ text: String, awaiting line: String) throws {
                    let before = daemon.logged(line)
                    try scratch.write(text, to: "sextant.toml")
                    daemon.process.send(SIGHUP)
                    try waitUntil("the log line \"\(line)\"") { daemon.logged(line) > before }
                }
                func names() throws -> [String] { try daemon.receivers().compactMap { $0["name"]?.string } }
                func provoke() throws {
                    let client = try RawClient(daemon.socket)
                    client.send("no call\0")
                    #expect(try client.next() == nil)
                }

                let stream = try daemon.subscribe()
                var drive = Drive()
                try one.send(drive.next(3))
                try stream.untilLocation()
                try provoke()
                #expect(daemon.logged("debug:") == 0)

                try reload(configuration([one, two], level: "debug"), awaiting: "configuration reloaded")
                #expect(try names() == ["one", "two"])
                try waitUntil("the new port being opened") { two.isOpen }
                let doomed = try daemon.subscribe(receiver: "two")
                #expect(doomed.last?.detail.contains(two.link) == true)
                try provoke()
                try waitUntil("a line of the new level") { daemon.logged("debug:") > 0 }

                try reload("[service]\nlog_level = 3\n", awaiting: "sextant.toml:2: service.log_level")
                #expect(daemon.logged("reload failed, keeping the current configuration") == 1)
                #expect(try names() == ["one", "two"])

                // An unchanged receiver is not disturbed: its port and its stream continue.
                try reload(configuration([one]), awaiting: "configuration reloaded")
                #expect(try names() == ["one"])
                try waitUntil("the old port being closed") { !two.isOpen }
                try doomed.until(cause: "noReceiver")
                let bytes = try daemon.receivers().first?["counts"]?["bytes"]?.int ?? 0
                #expect(bytes > 0, "the port that stayed has lost its counts")
                try one.send(drive.next(3))
                try stream.until("the newest epoch") { $0.timestamp == drive.timestamp(drive.count - 1) }
            }
        }
    }
}
