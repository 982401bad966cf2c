import DaemonSupport
import Glibc
import TestSupport
import Testing
import Varlink
import VarlinkClient

/// The bridge with the clients of Debian's packages, as processes.
@Suite(.serialized) struct GPSDProgramTests {
    private static func isInstalled(_ program: String) -> Bool { access(program, X_OK) == 0 }

    private static let pipe = "/usr/bin/gpspipe"
    private static let python = "/usr/bin/python3"

    /// Runs `body` with a daemon on a receiver that sends an epoch whenever the given closure is
    /// called.
    private static func run(
        _ body: (TestDaemon, BridgeProgram, _ sendEpoch: () throws -> Void) throws -> Void
    ) throws {
        var drive = Drive()
        try TestDaemon.runWithPort { daemon, port in
            let bridge = try BridgeProgram.gpsd(of: daemon)
            try body(daemon, bridge) {
                try port.send(drive.next())
                _ = poll(nil, 0, 20)
            }
            #expect(bridge.process.isRunning, "\(bridge.process.output)")
        }
    }

    /// Sends epochs until a program ends.
    private static func finish(_ client: ChildProcess, _ sendEpoch: () throws -> Void) throws -> String {
        try waitUntil("the end of a client; it printed \(client.output)") {
            try sendEpoch()
            return !client.isRunning
        }
        #expect(try client.waitForEnd() == .code(0), "\(client.output)")
        return client.output
    }

    @Test(.enabled(if: isInstalled(pipe), "gpspipe is not installed: make setup-test"))
    func `gpspipe gets version, devices, policy and epochs`() throws {
        try GPSDProgramTests.run { daemon, bridge, sendEpoch in
            let client = try bridge.client(
                [GPSDProgramTests.pipe, "-w", "-n", "8", "127.0.0.1:\(bridge.port)"], daemon)
            let lines = try GPSDProgramTests.finish(client, sendEpoch).split(whereSeparator: \.isNewline)
            let classes = lines.map { $0.dropFirst(10).prefix { $0 != "\"" } }
            #expect(classes.prefix(3) == ["VERSION", "DEVICES", "WATCH"])
            #expect(classes.contains("TPV"), "\(lines)")
            #expect(lines.contains { $0.contains(#""mode":3"#) && $0.contains(#""lat":51."#) }, "\(lines)")
            #expect(client.output.contains(#""path":"\#(daemon.scratch("gps"))","driver":"NMEA0183""#))
        }
    }

    @Test(.enabled(if: isInstalled(pipe), "gpspipe is not installed: make setup-test"), arguments: ["-r", "-R"])
    func `gpspipe gets sentences of the same second`(_ flag: String) throws {
        try GPSDProgramTests.run { daemon, bridge, sendEpoch in
            let client = try bridge.client([GPSDProgramTests.pipe, flag, "-n", "12", "[::1]:\(bridge.port)"], daemon)
            let lines = try GPSDProgramTests.finish(client, sendEpoch).split(whereSeparator: \.isNewline)
            let seconds = { (type: String) in
                lines.filter { $0.hasPrefix("$GP\(type),") }.map { $0.split(separator: ",")[1] }
            }
            #expect(!seconds("RMC").isEmpty, "\(lines)")
            // gpspipe may end within the last epoch, of which the receiver sends GGA first.
            let whole = flag == "-R" ? seconds("GGA").dropLast() : seconds("GGA")[...]
            #expect(!whole.isEmpty && Set(whole).isSubset(of: seconds("RMC")))
        }
    }

    @Test(.enabled(if: isInstalled("/usr/lib/python3/dist-packages/gps/gps.py"), "python3-gps is not installed"))
    func `the gps module of Python gets each position`() throws {
        try GPSDProgramTests.run { daemon, bridge, sendEpoch in
            let script = try daemon.scratch.write(
                String(decoding: PackageResources.gps_module_py, as: UTF8.self), to: "gps_module.py")
            let client = try bridge.client([GPSDProgramTests.python, script, "\(bridge.port)", "3"], daemon)
            let lines = try GPSDProgramTests.finish(client, sendEpoch).split(whereSeparator: \.isNewline)
            #expect(lines.count == 3)
            #expect(lines.allSatisfy { $0.contains(" 51.") }, "\(lines)")
        }
    }

    @Test func `raw passes on the sentences of the receiver`() throws {
        try GPSDProgramTests.run { _, bridge, sendEpoch in
            let client = try TCPClient(port: bridge.port)
            try client.send(#"?WATCH={"raw":2,"pps":true}"#)
            // The course as the receiver writes it.
            try client.until(",021.4,073.1,140326,,,A*", meanwhile: sendEpoch)
        }
    }

    @Test func `a client keeps its connection when the daemon is killed and starts again`() throws {
        try GPSDProgramTests.run { daemon, bridge, sendEpoch in
            let client = try TCPClient(port: bridge.port)
            try client.send(#"?WATCH={"enable":true,"json":true}"#)
            try client.until(#""mode":3"#, meanwhile: sendEpoch)
            daemon.kill()
            try daemon.startAgain()
            try client.until(#""mode":3"#, meanwhile: sendEpoch)
            try client.until(#""lat":51."#, meanwhile: sendEpoch)
        }
    }

    @Test(arguments: ["gpsd", "nmea", "geoclue"])
    func `a client keeps its connection when the bridge is killed`(_ role: String) throws {
        try GPSDProgramTests.run { daemon, bridge, sendEpoch in
            let script = try daemon.scratch.write(
                String(decoding: PackageResources.service_manager_py, as: UTF8.self), to: "service_manager.py")
            let program = try Programs.path(of: "sextant-bridge")
            let manager = try bridge.client(
                [GPSDProgramTests.python, script, program, role, daemon.socket, daemon.scratch("notify"), "5"], daemon)
            #expect(try GPSDProgramTests.finish(manager, sendEpoch).contains("survived 5 kills"))
        }
    }

    @Test func `demand begins with a WATCH that wants data and ends with the connection`() throws {
        try GPSDProgramTests.run { daemon, bridge, sendEpoch in
            func consumers() throws -> Int {
                let client = try BlockingClient.connect(path: daemon.socket)
                let reply = try client.call("io.sextant.Manager.GetConsumers")
                return (reply["consumers"]?.array ?? []).count { $0["interval"] != nil }
            }
            var client: TCPClient? = try TCPClient(port: bridge.port)
            try client?.until("VERSION")
            #expect(try consumers() == 0, "after the connection")
            try client?.send("?DEVICES;\n")
            try client?.until("DEVICES")
            #expect(try consumers() == 0)
            try client?.send(#"?WATCH={"enable":true,"json":true}"#)
            try client?.until("WATCH")
            try waitUntil("demand") { try consumers() == 1 }
            client = nil
            try waitUntil("no demand") { try consumers() == 0 }
        }
    }

    @Test func `a port that is taken is named with the remedy`() throws {
        try GPSDProgramTests.run { daemon, bridge, _ in
            let second = try BridgeProgram(
                ["gpsd", "--listen", "127.0.0.1:\(bridge.port)"], of: daemon, port: bridge.port)
            #expect(try second.process.waitForEnd() == .code(1))
            #expect(second.process.output.contains("gpsd.socket"), "\(second.process.output)")
        }
    }
}
