import CLinux
import DaemonSupport
import Glibc
import SystemCalls
import TestSupport
import Testing
import Varlink

/// Hosts of inlets by name, with name servers and a list of hosts of the test's own.
@Suite(.serialized, .enabled(if: SmallDisk.isPossible, "only root can mount a small disk")) struct HostLookupTests {
    /// A name server that never answers.
    private final class SilentNameServer {
        /// An address of this process only: the port of name servers cannot be chosen.
        let address = "127.\(100 + getpid() % 100).\(getpid() / 100 % 250).7"
        private let socket: FileDescriptor

        init() throws {
            var storage = linux_internet_address(address, 53)
            socket = FileDescriptor(owning: try systemCall("receiving at \(address)") { linux_udp_listener(&storage) })
        }

        /// Whether a query has arrived.
        var isAsked: Bool { waitReadable(socket.number, within: .zero) }
    }

    /// The words before a program whose files of names are those of the test.
    private static func words(_ scratch: Scratch, nameServer: String, hosts: String) throws -> [String] {
        let servers = try scratch.write("nameserver \(nameServer)\n", to: "resolv.conf")
        let hosts = try scratch.write("127.0.0.1 localhost\n\(hosts)\n", to: "hosts")
        let script = """
            mount --bind \(servers) /etc/resolv.conf && mount --bind \(hosts) /etc/hosts &&
            export RES_OPTIONS='timeout:30 attempts:5' && exec "$0" "$@"
            """
        return ["unshare", "--mount", "sh", "-c", script]
    }

    private static func run(
        _ role: [String], nameServer: String, hosts: String = "", _ body: (TestDaemon, BridgeProgram) throws -> Void
    ) throws {
        try TestDaemon.run { daemon in
            let before = try words(daemon.scratch, nameServer: nameServer, hosts: hosts)
            try body(daemon, try BridgeProgram(["inlet", "phone"] + role, of: daemon, port: 0, before: before))
        }
    }

    @Test(arguments: ["--tcp", "--gpsd"])
    func `a bridge ends at once while a name server does not answer`(_ option: String) throws {
        let server = try SilentNameServer()
        try HostLookupTests.run([option, "gps.example:1"], nameServer: server.address) { _, bridge in
            try waitUntil("a query; \(bridge.process.output)") { server.isAsked }
            bridge.process.send(SIGTERM)
            #expect(try bridge.process.waitForEnd() == .code(0), "\(bridge.process.output)")
        }
    }

    @Test func `corrections wait for a name server, and nothing else does`() throws {
        let scratch = try Scratch()
        let gps = try VirtualPort(scratch("gps"))
        let server = try SilentNameServer()
        try TestDaemon.run(devices: [gps.link], scratch: scratch) { daemon in
            let before = try HostLookupTests.words(scratch, nameServer: server.address, hosts: "")
            let bridge = try BridgeProgram(
                ["inlet", "base", "--ntrip", "ntrip://me@caster.example/VRS"], of: daemon, port: 0, before: before)
            let user = try BridgeProgram.gpsd(of: daemon)
            let client = try TCPClient(port: user.port)
            try client.send("?WATCH={\"enable\":true,\"json\":true};\n")
            var drive = Drive()
            try waitUntil("a query; \(bridge.process.output)") {
                try gps.send(drive.next())
                _ = poll(nil, 0, 20)
                return server.isAsked
            }
            bridge.process.send(SIGTERM)
            #expect(try bridge.process.waitForEnd() == .code(0), "\(bridge.process.output)")
        }
    }

    @Test func `the name of a host is looked up`() throws {
        let scratch = try Scratch()
        let gps = try VirtualPort(scratch("gps"))
        try TestDaemon.run(devices: [gps.link], scratch: scratch) { other in
            let port = try BridgeProgram.freePort()
            let server = try BridgeProgram(["nmea", "--tcp", "127.0.0.1:\(port)"], of: other, port: port)
            try server.waitForPort()
            let role = ["--tcp", "gps.example:\(port)"]
            try HostLookupTests.run(role, nameServer: "127.0.0.1", hosts: "127.0.0.1 gps.example") { daemon, bridge in
                var drive = Drive()
                try waitUntil("a fix; \(bridge.process.output)") {
                    try gps.send(drive.next())
                    _ = poll(nil, 0, 20)
                    return try InletTests.receiver(daemon)?["state"] == "hasFix"
                }
            }
        }
    }

    @Test func `a name without an address is reported`() throws {
        try HostLookupTests.run(["--tcp", "gps.example:1"], nameServer: "127.0.0.1") { _, bridge in
            try waitUntil("a report; \(bridge.process.output)") {
                bridge.process.output.contains("looking up gps.example: ")
            }
            #expect(bridge.process.output.contains("; trying again"))
        }
    }

    @Test func `a host that refuses the connection is reported`() throws {
        try TestDaemon.run { daemon in
            let bridge = try BridgeProgram(
                ["inlet", "phone", "--tcp", "127.0.0.1:\(try BridgeProgram.freePort())"], of: daemon, port: 0)
            try waitUntil("a report; \(bridge.process.output)") {
                bridge.process.output.contains("Connection refused; trying again")
            }
        }
    }

    @Test(arguments: ["gps example:1", "-gps:1", "gps.example:port:1", "gps.example"])
    func `a wrong name is an error`(_ address: String) throws {
        let scratch = try Scratch()
        let bridge = try ChildProcess(
            [try Programs.path(of: "sextant-bridge"), "inlet", "phone", "--tcp=\(address)"], record: scratch("log"))
        #expect(try bridge.waitForEnd() == .code(64))
        #expect(bridge.output.contains("is not a host with a port"), "\(bridge.output)")
    }
}
