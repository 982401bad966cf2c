import CLinux
import DaemonSupport
import Glibc
import SystemCalls
import TestSupport
import Testing
import Varlink
import VarlinkClient

/// The role `inlet` as a process, with each of its sources.
@Suite(.serialized) struct InletTests {
    /// Runs the inlet `phone` with a daemon without receivers.
    private static func run(_ options: [String], _ body: (TestDaemon, BridgeProgram) throws -> Void) throws {
        try TestDaemon.run { daemon in
            let bridge = try BridgeProgram(["inlet", "phone"] + options, of: daemon, port: 0)
            try body(daemon, bridge)
        }
    }

    static func receiver(_ daemon: TestDaemon, _ name: String = "phone") throws -> JSONValue? {
        let reply = try BlockingClient.connect(path: daemon.socket).call("io.sextant.Receiver.List")
        return reply["receivers"]?.array?.first { $0["name"] == .string(name) }
    }

    /// Sends epochs until the daemon has a fix of the inlet's receiver.
    private static func expectFix(_ daemon: TestDaemon, _ bridge: BridgeProgram, sendEpoch: ([UInt8]) throws -> Void)
        throws
    {
        var drive = Drive()
        try waitUntil("a fix; \(bridge.process.output)") {
            try sendEpoch(drive.next())
            _ = poll(nil, 0, 20)
            return try InletTests.receiver(daemon)?["state"] == "hasFix"
        }
        let receiver = try #require(try InletTests.receiver(daemon))
        #expect(receiver["network"] == true && receiver["port"] == "feed:phone" && receiver["isPrimary"] == true)
        #expect(receiver["counts"]?["checksumErrors"] == 0 && receiver["counts"]?["strayBytes"] == 0)
    }

    @Test func `sentences in datagrams become fixes, whole or in parts`() throws {
        let port = try BridgeProgram.freePort()
        try InletTests.run(["--udp-listen", "127.0.0.1:\(port)", "--product", "a phone"]) { daemon, bridge in
            let number = try systemCall("creating a socket") { socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0) }
            let sender = FileDescriptor(owning: number)
            var address = linux_internet_address("127.0.0.1", UInt16(clamping: port))
            func send(_ bytes: some Collection<UInt8>) {
                let bytes = Array(bytes)
                _ = linux_udp_send(sender.number, bytes, bytes.count, &address)
            }
            try InletTests.expectFix(daemon, bridge) { epoch in
                send(epoch[..<30])
                send(epoch[30...])
            }
            #expect(try InletTests.receiver(daemon)?["product"] == "a phone")
        }
    }

    @Test func `a sender of datagrams may use a new port for each`() throws {
        let port = try BridgeProgram.freePort()
        try InletTests.run(["--udp-listen", "127.0.0.1:\(port)"]) { daemon, bridge in
            var address = linux_internet_address("127.0.0.1", UInt16(clamping: port))
            // All sockets stay open, so that no port is used twice.
            var senders: [Int32] = []
            defer { for sender in senders { close(sender) } }
            try InletTests.expectFix(daemon, bridge) { epoch in
                for sentence in epoch.split(separator: 10) {
                    let sender = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
                    senders.append(sender)
                    let bytes = Array(sentence) + [10]
                    _ = linux_udp_send(sender, bytes, bytes.count, &address)
                }
            }
        }
    }

    @Test func `a daemon that does not read gets no old sentences later`() throws {
        let scratch = try Scratch()
        let service = try FakeService(at: scratch("socket"))
        let port = try BridgeProgram.freePort()
        let bridge = try ChildProcess(
            [
                try Programs.path(of: "sextant-bridge"), "inlet", "phone", "--tcp-listen", "127.0.0.1:\(port)",
                "--socket", service.path,
            ], record: scratch("bridge.log"))
        let feed = try service.accept()
        #expect(try feed.call().method == "io.sextant.Receiver.Feed")
        try feed.send(Reply(parameters: [:]))
        var client: TCPClient?
        try waitUntil("the port; \(bridge.output)") {
            client = try? TCPClient(port: port)
            return client != nil
        }
        // More than all buffers hold.
        let count = 20_000
        for number in 0..<count { try client?.send(sentence("PTEST,\(number),\(String(repeating: "x", count: 60))")) }
        client = nil
        let received = String(decoding: feed.upgradedBytes(pause: .milliseconds(500)), as: UTF8.self)
        let numbers = received.split(separator: "\r\n").compactMap { Int($0.split(separator: ",")[1]) }
        // The first gap shows how many waited.
        let waiting = zip(numbers, 0...).prefix { $0 == $1 }.count
        #expect(numbers == numbers.sorted())
        #expect(waiting > 0 && waiting < count / 3, "\(waiting) of \(numbers.count) sentences; \(bridge.output)")
    }

    @Test func `a TCP client may send sentences, and the next one after it`() throws {
        let port = try BridgeProgram.freePort()
        try InletTests.run(["--tcp-listen", "127.0.0.1:\(port)"]) { daemon, bridge in
            for _ in 0..<2 {
                var client: TCPClient?
                try waitUntil("the port; \(bridge.process.output)") {
                    client = try? TCPClient(port: port)
                    return client != nil
                }
                try InletTests.expectFix(daemon, bridge) {
                    try client?.send(String(decoding: $0, as: UTF8.self))
                }
            }
        }
    }

    @Test func `a named pipe is read by one writer after the other`() throws {
        let scratch = try Scratch()
        let path = scratch("pipe")
        try systemCall("creating a pipe") { mkfifo(path, 0o600) }
        try InletTests.run(["--file", path]) { daemon, bridge in
            for _ in 0..<2 {
                let pipe = FileDescriptor(
                    owning: try systemCall("opening the pipe") { open(path, O_RDWR | O_NONBLOCK) })
                try InletTests.expectFix(daemon, bridge) { _ = write(pipe.number, $0, $0.count) }
            }
        }
    }

    @Test(arguments: ["gpsd", "nmea"])
    func `another host with a bridge is a receiver here`(_ role: String) throws {
        let scratch = try Scratch()
        let gps = try VirtualPort(scratch("gps"))
        try TestDaemon.run(devices: [gps.link], scratch: scratch) { other in
            let port = try BridgeProgram.freePort()
            let option = role == "gpsd" ? "--listen" : "--tcp"
            let server = try BridgeProgram([role, option, "127.0.0.1:\(port)"], of: other, port: port)
            try server.waitForPort()
            try InletTests.run([role == "gpsd" ? "--gpsd" : "--tcp", "127.0.0.1:\(port)"]) { daemon, bridge in
                try InletTests.expectFix(daemon, bridge) { try gps.send($0) }
            }
        }
    }

    @Test func `the receiver follows the bridge, and returns after a restart of the daemon`() throws {
        let port = try BridgeProgram.freePort()
        try InletTests.run(["--udp-listen", "localhost:\(port)"]) { daemon, bridge in
            try waitUntil("the receiver; \(bridge.process.output)") { try InletTests.receiver(daemon) != nil }
            daemon.kill()
            try daemon.startAgain()
            try waitUntil("the receiver again; \(bridge.process.output)") { try InletTests.receiver(daemon) != nil }
            bridge.process.destroy()
            try waitUntil("no receiver") { try InletTests.receiver(daemon) == nil }
        }
    }

    @Test func `a name is unique, and a call needs upgrade`() throws {
        try InletTests.run(["--file", "/dev/zero"]) { daemon, bridge in
            try waitUntil("the receiver; \(bridge.process.output)") { try InletTests.receiver(daemon) != nil }
            let second = try BridgeProgram(["inlet", "phone", "--file", "/dev/zero"], of: daemon, port: 0)
            try waitUntil("a refusal") { second.process.output.contains("InvalidName") }
            let client = try BlockingClient.connect(path: daemon.socket)
            #expect(throws: ClientError.self) {
                _ = try client.call("io.sextant.Receiver.Feed", with: ["name": "other"])
            }
            #expect(try InletTests.receiver(daemon, "other") == nil)
        }
    }

    @Test(arguments: [
        ["inlet", "phone"], ["inlet", "a b", "--file", "-"], ["inlet", "", "--file", "-"],
        ["inlet", "phone", "--file", "-", "--tcp", "127.0.0.1:1"],
        ["inlet", "phone", "--product", "\u{1b}", "--file", "-"],
        ["inlet", "phone", "--receiver", "gps", "--file", "-"],
        ["inlet", "phone", "--password-file", "/p", "--file", "-"],
        ["inlet", "base", "--ntrip", "ntrip://me@caster.example/M", "--sentences", "RMC"],
        ["inlet", "base", "--ntrip", "ntrip://me@caster.example/M", "--all-sources"],
    ])
    func `wrong arguments are usage errors`(_ words: [String]) throws {
        try TestDaemon.run { daemon in
            let bridge = try BridgeProgram(words, of: daemon, port: 0)
            #expect(try bridge.process.waitForEnd() == .code(64), "\(bridge.process.output)")
        }
    }
}
