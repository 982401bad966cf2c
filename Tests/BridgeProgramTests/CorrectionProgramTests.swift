import CLinux
import DaemonSupport
import Glibc
import SystemCalls
import TestSupport
import Testing
import Varlink
import VarlinkClient

/// The role `inlet` with a caster, the daemon and a receiver.
@Suite(.serialized) struct CorrectionProgramTests {
    /// A frame of message 1005 from the standard.
    private static let frame: [UInt8] = [
        0xD3, 0x00, 0x13, 0x3E, 0xD7, 0xD3, 0x02, 0x02, 0x98, 0x0E, 0xDE, 0xEF, 0x34, 0xB4, 0xBD, 0x62, 0xAC, 0x09,
        0x41, 0x98, 0x6F, 0x33, 0x36, 0x0B, 0x98,
    ]

    /// A caster with one client.
    private final class Caster {
        let port: Int
        private let listener: FileDescriptor
        private var client: FileDescriptor?
        private(set) var received = ""
        private(set) var connections = 0

        init() throws {
            port = try BridgeProgram.freePort()
            var address = linux_internet_address("127.0.0.1", UInt16(clamping: port))
            listener = FileDescriptor(owning: try systemCall("listening") { linux_tcp_listener(&address) })
        }

        /// Accepts and reads what has arrived.
        func advance() {
            let number = accept4(listener.number, nil, nil, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
            if number >= 0 {
                client = FileDescriptor(owning: number)
                connections += 1
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(client?.number ?? -1, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { received += String(decoding: buffer[..<count], as: UTF8.self) }
        }

        func send(_ bytes: [UInt8]) {
            _ = Glibc.send(client?.number ?? -1, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// - Parameter certificateName: The name in the caster's certificate; nil: without TLS.
    private static func run(
        _ configuration: String = "", certificateName: String? = nil,
        _ body: (TestDaemon, VirtualPort, Caster, BridgeProgram) throws -> Void
    ) throws {
        let scratch = try Scratch()
        let gps = try VirtualPort(scratch("gps"))
        let password = try scratch.write("secret\n", to: "password")
        try systemCall("protecting the password") { chmod(password, 0o600) }
        let caster = try Caster()
        var source = ["--ntrip", "ntrip://me@localhost:\(caster.port)/VRS"]
        var proxy: ChildProcess?
        if let certificateName {
            let script = try scratch.write(
                String(decoding: PackageResources.tls_proxy_py, as: UTF8.self), to: "tls_proxy.py")
            let process = try ChildProcess(
                ["/usr/bin/python3", script, scratch("."), certificateName, "\(caster.port)"],
                record: scratch("proxy"))
            try waitUntil("the port of the proxy") { process.output.hasSuffix("\n") }
            source = [
                "--ntrip", "ntrips://me@localhost:\(process.output.dropLast())/VRS", "--ca-file", scratch("ca.pem"),
            ]
            proxy = process
        }
        defer { proxy?.destroy() }
        try TestDaemon.run(
            configuration: "[receivers]\ndiscover = false\n[[receiver]]\ndevice = \"\(gps.link)\"\n\(configuration)",
            scratch: scratch
        ) { daemon in
            let bridge = try BridgeProgram(
                ["inlet", "base"] + source + ["--password-file", password], of: daemon, port: caster.port)
            try body(daemon, gps, caster, bridge)
        }
    }

    /// Makes another program use the receiver, which sends epochs until `condition` holds.
    private static func drive(
        _ gps: VirtualPort, _ caster: Caster, _ what: String, _ bridge: BridgeProgram,
        until condition: () throws -> Bool
    ) throws {
        var drive = Drive()
        try waitUntil("\(what); \(bridge.process.output)") {
            try gps.send(drive.next())
            caster.advance()
            _ = poll(nil, 0, 20)
            return try condition()
        }
    }

    @Test func `corrections of a caster are written to the receiver`() throws {
        try CorrectionProgramTests.run { daemon, gps, caster, bridge in
            let user = try BridgeProgram.gpsd(of: daemon)
            let client = try TCPClient(port: user.port)
            try client.send("?WATCH={\"enable\":true,\"json\":true};\n")
            try CorrectionProgramTests.drive(gps, caster, "the request", bridge) {
                caster.received.contains("\r\n\r\n")
            }
            #expect(caster.received.hasPrefix("GET /VRS HTTP/1.1\r\nHost: localhost:\(caster.port)\r\n"))
            #expect(caster.received.contains("Authorization: Basic bWU6c2VjcmV0\r\n"))
            #expect(caster.received.contains("Ntrip-GGA: $GPGGA,"))
            caster.send(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
            try CorrectionProgramTests.drive(gps, caster, "the position", bridge) {
                caster.received.contains("\r\n\r\n$GPGGA,")
            }
            let frame = CorrectionProgramTests.frame
            var written = ""
            try CorrectionProgramTests.drive(gps, caster, "the corrections", bridge) {
                caster.send(Array("19\r\n".utf8) + frame + [13, 10])
                written += gps.received()
                return written.contains(String(decoding: frame, as: UTF8.self))
            }
            let list = try BlockingClient.connect(path: daemon.socket).call(
                "io.sextant.Receiver.List")
            let corrections = list["receivers"]?.array?.first?["corrections"]
            #expect(corrections?["source"] == "localhost/VRS")
            #expect(try #require(corrections?["bytes"]?.int) >= 25 && corrections?["rate"] != nil)
            #expect(try #require(corrections?["age"]?.double) < 60 && caster.connections == 1)
            let text = try ChildProcess(
                [try Programs.path(of: "sextant"), "receivers", "--socket", daemon.socket],
                record: daemon.scratch("receivers"))
            try text.waitForEnd()
            #expect(text.output.contains("corrections: localhost/VRS · "), "\(text.output)")
        }
    }

    @Test func `corrections arrive over TLS`() throws {
        try CorrectionProgramTests.run(certificateName: "localhost") { daemon, gps, caster, bridge in
            let user = try BridgeProgram.gpsd(of: daemon)
            let client = try TCPClient(port: user.port)
            try client.send("?WATCH={\"enable\":true,\"json\":true};\n")
            try CorrectionProgramTests.drive(gps, caster, "the request", bridge) {
                caster.received.contains("\r\n\r\n")
            }
            #expect(caster.received.contains("Authorization: Basic bWU6c2VjcmV0\r\n"))
            caster.send(Array("ICY 200 OK\r\n".utf8))
            let frame = CorrectionProgramTests.frame
            var written = ""
            try CorrectionProgramTests.drive(gps, caster, "the corrections", bridge) {
                caster.send(frame)
                written += gps.received()
                return written.contains(String(decoding: frame, as: UTF8.self))
            }
        }
    }

    /// The password goes to the caster that the address names, and to no other.
    @Test func `a caster with the certificate of another host gets no request`() throws {
        try CorrectionProgramTests.run(certificateName: "other.example") { daemon, gps, caster, bridge in
            let user = try BridgeProgram.gpsd(of: daemon)
            let client = try TCPClient(port: user.port)
            try client.send("?WATCH={\"enable\":true,\"json\":true};\n")
            try CorrectionProgramTests.drive(gps, caster, "the refusal", bridge) {
                bridge.process.output.contains("connecting over TLS: ")
            }
            #expect(caster.received.isEmpty)
        }
    }

    @Test func `nothing is written to a passive receiver`() throws {
        try CorrectionProgramTests.run("passive = true\n") { daemon, gps, caster, bridge in
            let user = try BridgeProgram.gpsd(of: daemon)
            let client = try TCPClient(port: user.port)
            try client.send("?WATCH={\"enable\":true,\"json\":true};\n")
            var written = ""
            var isAnswered = false
            try CorrectionProgramTests.drive(gps, caster, "the refusal", bridge) {
                if caster.received.contains("\r\n\r\n"), !isAnswered {
                    caster.send(Array("ICY 200 OK\r\n".utf8))
                    isAnswered = true
                }
                if isAnswered { caster.send(CorrectionProgramTests.frame) }
                written += gps.received()
                return bridge.process.output.contains("passive")
            }
            #expect(written.isEmpty)
        }
    }

    /// Other bytes could be commands.
    @Test func `the daemon accepts only frames of RTCM`() throws {
        try CorrectionProgramTests.run { daemon, _, _, _ in
            let client = try BlockingClient.connect(path: daemon.socket)
            for frames in [["JFBNVEsxMDQ="], [], [""], ["0wAA"], ["!"], Array(repeating: "0wAAR+pL", count: 17)] {
                let parameters = JSONValue.object([
                    "frames": .array(frames.map { .string($0) }), "source": "a test",
                ])
                #expect(throws: ClientError.self) {
                    _ = try client.call(
                        "io.sextant.Receiver.WriteCorrections", with: parameters)
                }
            }
        }
    }

    @Test(arguments: [("read", mode_t(0o644)), ("write", 0o602)])
    func `a password that every user can read or write is refused`(_ what: String, _ mode: mode_t) throws {
        let scratch = try Scratch()
        let password = try scratch.write("secret\n", to: "password")
        try systemCall("publishing the password") { chmod(password, mode) }
        let bridge = try ChildProcess(
            [
                try Programs.path(of: "sextant-bridge"), "inlet", "base", "--ntrip", "ntrip://me@localhost:1/VRS",
                "--password-file", password, "--socket", scratch("none"),
            ], record: scratch("log"))
        #expect(try bridge.waitForEnd() == .code(1))
        #expect(bridge.output.contains("every user can \(what) it") && !bridge.output.contains("secret"))
    }

    @Test(arguments: [
        "http://caster.example", "ntrip://me:secret@caster.example/M", "ntrips://me:secret@caster.example/M",
        "caster.example/M",
        "ntrip://caster.example:0/M", "ntrip://caster.example/a b", "ntrip://caster.example:port/M",
    ])
    func `a wrong address of a caster is a usage error`(_ address: String) throws {
        let scratch = try Scratch()
        let bridge = try ChildProcess(
            [try Programs.path(of: "sextant-bridge"), "inlet", "base", "--ntrip", address], record: scratch("log"))
        #expect(try bridge.waitForEnd() == .code(64), "\(bridge.output)")
    }
}
