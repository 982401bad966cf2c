import Bridges
import CLinux
import DaemonSupport
import Glibc
import Settings
import SystemCalls
import TestSupport
import Testing
import Varlink
import VarlinkClient

/// The sections of the bridges in `sextant.toml`.
@Suite(.serialized) struct ConfigurationSectionTests {
    /// A configuration text, its wrong line and the key.
    struct Mistake: CustomTestStringConvertible {
        let text: String
        let line: Int
        let key: String
        var testDescription: String { text.split(separator: "\n").joined(separator: "; ") }

        init(_ text: String, _ line: Int, _ key: String) { (self.text, self.line, self.key) = (text, line, key) }
    }

    @Test(arguments: [
        Mistake("[gpsd]\nlisten = \"gps.example:2947\"\n", 2, "gpsd.listen"),
        Mistake("[gpsd]\nrelease = \"3.22\"\nport = 2947\n", 3, "gpsd.port"),
        Mistake("gpsd = true\n", 1, "gpsd"),
        Mistake("[nmea]\ntcp = \"127.0.0.1:10110\"\n", 2, "nmea.tcp"),
        Mistake("[nmea.boat]\ntcp = [\"127.0.0.1:10110\", 5]\n", 2, "nmea.boat.tcp"),
        Mistake("[nmea.boat]\nsentences = [\"rmc\", \"abc\"]\n", 2, "nmea.boat.sentences"),
        Mistake("[nmea.boat]\ntalker = \"gp\"\n", 2, "nmea.boat.talker"),
        Mistake("[nmea.boat]\n\ninterval = 0.2\n", 3, "nmea.boat.interval"),
        Mistake("[nmea.\"a b\"]\ntalker = \"GP\"\n", 1, "nmea.a b"),
        Mistake("[time]\nchrony = \"chrony.sock\"\n", 2, "time.chrony"),
        Mistake("[time]\ninterval = 2000\n", 2, "time.interval"),
        Mistake("[time]\nshm = -1\n", 2, "time.shm"),
        Mistake("[inlet.phone]\nproduct = \"a phone\"\n", 1, "inlet.phone"),
        Mistake("[inlet.phone]\ntcp = \"127.0.0.1:1\"\nfile = \"/a\"\n", 1, "inlet.phone"),
        Mistake("[inlet.phone]\ntcp = \"gps example:1\"\n", 2, "inlet.phone.tcp"),
        Mistake("[inlet.phone]\ngpsd = \"gps.example\"\n", 2, "inlet.phone.gpsd"),
        Mistake("[inlet.phone]\nudp_listen = \"10110\"\n", 2, "inlet.phone.udp_listen"),
        Mistake("[inlet.phone]\nfile = \"/a\"\nsentences = \"$GPRMC\"\n", 3, "inlet.phone.sentences"),
        Mistake("[inlet.base]\nntrip = \"ntrip://me:secret@caster.example/M\"\n", 2, "inlet.base.ntrip"),
        Mistake("[inlet.base]\nntrip = \"ntrips://caster.example\"\n", 2, "inlet.base.ntrip"),
        Mistake("[inlet.base]\nntrip = \"caster.example\"\n", 2, "inlet.base.ntrip"),
        Mistake("[fleet.work]\nuser = \"jane\"\n", 1, "fleet.work"),
        Mistake("[fleet]\ndestination = \"mqtt://a\"\n", 2, "fleet.destination"),
        Mistake("[fleet.work]\ndestination = \"http://a\"\n", 2, "fleet.work.destination"),
        Mistake("[fleet.work]\ndestination = \"mqtt://a\"\ntolerance = -1\n", 3, "fleet.work.tolerance"),
        Mistake("[fleet.work]\ndestination = \"mqtt://a\"\naccuracy = \"low\"\n", 3, "fleet.work.accuracy"),
        Mistake("[fleet.work]\ndestination = \"mqtt://a\"\nquiet = \"x\"\n", 3, "fleet.work.quiet"),
        Mistake("[fleet.work]\ndestination = \"mqtt://a\"\nquiet_hours = \"22-6\"\n", 3, "fleet.work.quiet_hours"),
        Mistake("[fleet.work]\ndestination = \"mqtt://a\"\nquiet_place = \"1,2\"\n", 3, "fleet.work.quiet_place"),
    ])
    func `the check names file, line and key of a bridge's section`(_ mistake: Mistake) throws {
        let scratch = try Scratch()
        let path = try scratch.write(mistake.text, to: "sextant.toml")
        let check = try ChildProcess(
            [try Programs.path(of: "sextantd"), "--check-config", "--config", path], record: scratch("log"))
        #expect(try check.waitForEnd() == .code(78))
        #expect(check.output.hasPrefix("sextantd: \(path):\(mistake.line): \(mistake.key): "), "\(check.output)")
    }

    @Test func `a section has the options of the command line`() throws {
        let scratch = try Scratch()
        let path = try scratch.write(
            """
            [gpsd]
            listen = ["127.0.0.1:2947", "[::1]:2947"]
            release = "3.25"
            [nmea.boat]
            tcp = "localhost:10110"
            sentences = ["RMC", "zda"]
            interval = 2
            [nmea.plotter]
            pty = "/tmp/gps"
            [time]
            interval = 16.5
            [inlet.base]
            ntrip = "ntrip://me@caster.example/MOUNT"
            password_file = "/etc/sextant/password"
            [service]
            log_level = "debug"
            """, to: "sextant.toml")
        let settings = try BridgeSettings.load(file: path)
        #expect(settings.gpsd?.listen == ["127.0.0.1:2947", "[::1]:2947"] && settings.gpsd?.release == "3.25")
        #expect(settings.nmea["boat"]?.tcp == ["localhost:10110"] && settings.nmea["boat"]?.interval == 2)
        #expect(settings.nmea["boat"]?.sentences == ["rmc", "zda"] && settings.nmea["plotter"]?.pty == "/tmp/gps")
        #expect(settings.time?.interval == 16.5 && settings.time?.chrony == nil)
        let address = try NTRIPAddress("ntrip://me@caster.example:2101/MOUNT")
        #expect(settings.inlet["base"]?.source == .ntrip(address))
        #expect(settings.inlet["base"]?.passwordFile == "/etc/sextant/password")
    }

    @Test(arguments: [
        "tcp = \"127.0.0.1:10110\"\npassword_file = \"/p\"", "file = \"/tmp/p\"\nreceiver = \"gps\"",
        "ntrip = \"ntrip://me@caster.example/M\"\nsentences = [\"RMC\"]",
    ])
    func `a key that the source does not use is an error`(_ lines: String) throws {
        let path = try Scratch().write("[inlet.a]\n\(lines)\n", to: "sextant.toml")
        #expect(throws: ConfigurationError.self) { try BridgeSettings.load(file: path) }
    }

    @Test(arguments: [
        "[gpsd]\nlisten = \"127.0.0.1:2947\n", "[gpsd]\nlisten = '127.0.0.1:2947\n",
        "[gpsd]\nlisten = \"a\\\"b # \nrelease = \"3.25\"\n",
    ])
    func `a missing quotation mark is named`(_ text: String) throws {
        let scratch = try Scratch()
        let path = try scratch.write(text, to: "sextant.toml")
        let error = #expect(throws: ConfigurationError.self) { try BridgeSettings.load(file: path) }
        #expect(
            error?.line == 2 && error?.reason.contains("no closing quotation mark") == true,
            "\(String(describing: error))")
    }

    @Test func `an address that is none ends the program with the status of wrong usage`() throws {
        let scratch = try Scratch()
        let program = try Programs.path(of: "sextant-bridge")
        let bridge = try ChildProcess([program, "gpsd", "--listen", "29471"], record: scratch("bridge.log"))
        #expect(try bridge.waitForEnd() == .code(64), "\(bridge.output)")
    }

    @Test func `a busy port for datagrams is named with a remedy`() throws {
        let scratch = try Scratch()
        var address = linux_internet_address("127.0.0.1", 0)
        let taken = FileDescriptor(owning: try systemCall("finding a port") { linux_udp_listener(&address) })
        var bound = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = taken.number
        withUnsafeMutablePointer(to: &bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(number, $0, &length) }
        }
        let text = "127.0.0.1:\(UInt16(bigEndian: bound.sin_port))"
        let program = try Programs.path(of: "sextant-bridge")
        let bridge = try ChildProcess(
            [program, "inlet", "phone", "--udp-listen", text, "--socket", scratch("none")],
            record: scratch("bridge.log"))
        #expect(try bridge.waitForEnd() == .code(1))
        #expect(bridge.output.contains("another program receives at \(text)"), "\(bridge.output)")
    }

    @Test func `the names of sentences are those that the bridge writes`() {
        #expect(Set(BridgeSections.sentences) == Set(SentenceKind.allCases.map(\.rawValue)))
    }

    /// The daemon runs although a section that it does not use is wrong.
    @Test func `a unit's instance runs with the options of its section`() throws {
        let scratch = try Scratch()
        let gps = try VirtualPort(scratch("gps"))
        let port = try BridgeProgram.freePort()
        let inletPort = try BridgeProgram.freePort()
        let path = try scratch.write(
            """
            [nmea.boat]
            tcp = "127.0.0.1:\(port)"
            sentences = ["zda"]
            talker = "GN"
            [inlet.phone]
            udp_listen = "127.0.0.1:\(inletPort)"
            product = "a phone"
            """, to: "bridges.toml")
        try TestDaemon.run(devices: [gps.link], scratch: scratch) { daemon in
            let bridge = try BridgeProgram(
                ["nmea", "--configured", "boat", "--config", path], of: daemon, port: port)
            try bridge.waitForPort()
            let client = try TCPClient(port: port)
            var drive = Drive()
            let text = try client.until("$GNZDA") { try gps.send(drive.next()) }
            #expect(!text.contains("RMC"))
            let inlet = try BridgeProgram(
                ["inlet", "phone", "--configured", "--config", path], of: daemon, port: inletPort)
            try waitUntil("the inlet; \(inlet.process.output)") {
                try InletTests.receiver(daemon)?["product"] == "a phone"
            }
        }
    }

    @Test(arguments: [
        ["inlet", "car", "--configured"], ["nmea", "--configured", "car"],
    ])
    func `a missing or invalid section is a configuration error`(_ words: [String]) throws {
        let scratch = try Scratch()
        for text in ["", "[inlet.car]\nfil = 5\n[nmea.car]\ntpc = 5\n"] {
            let path = try scratch.write(text, to: "bridges.toml")
            let bridge = try ChildProcess(
                [try Programs.path(of: "sextant-bridge")] + words + ["--config", path], record: scratch("log"))
            #expect(try bridge.waitForEnd() == .code(78), "\(bridge.output)")
            #expect(bridge.output.contains(text.isEmpty ? "there is no section [" : path), "\(bridge.output)")
        }
    }

    @Test func `the service starts with a section of a bridge that is wrong`() throws {
        let text = "[receivers]\ndiscover = false\n[gpsd]\nlisten = 5\n"
        try TestDaemon.run(configuration: text) { daemon in
            let reply = try BlockingClient.connect(path: daemon.socket).call(
                "io.sextant.Receiver.List")
            #expect(reply["receivers"] == .array([]))
        }
    }
}
