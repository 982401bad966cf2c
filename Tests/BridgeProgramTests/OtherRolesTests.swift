import CLinux
import DaemonSupport
import Glibc
import SystemCalls
import TestSupport
import Testing
import Varlink

/// The roles `nmea` and `time` as processes.
@Suite(.serialized) struct OtherRolesTests {
    private static func run(period: Int = 1000, _ body: (TestDaemon, _ sendEpoch: () throws -> Void) throws -> Void)
        throws
    {
        var drive = Drive(period: period)
        try TestDaemon.runWithPort { daemon, port in
            try body(daemon) {
                try port.send(drive.next())
                _ = poll(nil, 0, 20)
            }
        }
    }

    @Test func `a TCP client gets sentences, and keeps its connection over a restart of the daemon`() throws {
        try OtherRolesTests.run { daemon, sendEpoch in
            let port = try BridgeProgram.freePort()
            let bridge = try BridgeProgram(["nmea", "--tcp", "127.0.0.1:\(port)"], of: daemon, port: port)
            try bridge.waitForPort()
            let client = try TCPClient(port: port)
            let text = try client.until("$GPGGA,", meanwhile: sendEpoch)
            #expect(text.contains("$GPRMC,"))
            daemon.kill()
            try daemon.startAgain()
            try client.until("$GPVTG,", meanwhile: sendEpoch)
        }
    }

    @Test func `a TCP client that ends its output still gets sentences`() throws {
        try OtherRolesTests.run { daemon, sendEpoch in
            let port = try BridgeProgram.freePort()
            let bridge = try BridgeProgram(["nmea", "--tcp", "localhost:\(port)"], of: daemon, port: port)
            try bridge.waitForPort()
            let client = try TCPClient(port: port)
            try client.until("$GPGGA,", meanwhile: sendEpoch)
            try client.endOutput()
            for _ in 0..<3 { try client.until("$GPGGA,", meanwhile: sendEpoch) }
        }
    }

    @Test func `GeoClue's socket has GGA and RMC in one packet`() throws {
        try OtherRolesTests.run { daemon, sendEpoch in
            let path = daemon.scratch("nmea.sock")
            let bridge = try BridgeProgram(
                ["geoclue", "--unix", path], of: daemon, port: 0)
            let socket = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_stream_socket() })
            let number = socket.number
            try waitUntil("the socket; \(bridge.process.output)") {
                linux_unix_connect(number, path, path.utf8.count) == 0
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            var count = 0
            try waitUntil("sentences") {
                try sendEpoch()
                count = recv(number, &buffer, buffer.count, 0)
                return count > 0
            }
            let packet = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
            #expect(packet.hasPrefix("$GNGGA,"))
            #expect(packet.contains(",5.00,") || packet.contains(",10.00,"), "HDOP in \(packet)")
            #expect(packet.split(separator: "$GNRMC,").count == packet.split(separator: "$GNGGA,").count + 1)
        }
    }

    @Test func `sentences go to a UDP address without a client that connects`() throws {
        try OtherRolesTests.run { daemon, sendEpoch in
            let port = try BridgeProgram.freePort()
            var address = linux_internet_address("127.0.0.1", UInt16(clamping: port))
            let number = try systemCall("creating a socket") { socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0) }
            let receiver = FileDescriptor(owning: number)
            let length = linux_internet_address_length(&address)
            try withUnsafePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    _ = try systemCall("binding") { bind(receiver.number, address, length) }
                }
            }
            let bridge = try BridgeProgram(
                ["nmea", "--udp", "127.0.0.1:\(port)", "--sentences", "rmc"], of: daemon, port: port)
            var buffer = [UInt8](repeating: 0, count: 4096)
            var count = 0
            try waitUntil("a datagram with a position; \(bridge.process.output)") {
                try sendEpoch()
                count = recv(receiver.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                return count > 0 && String(decoding: buffer[..<count], as: UTF8.self).contains(",A,51")
            }
            #expect(buffer.starts(with: Array("$GPRMC,".utf8)) && buffer[count - 1] == 10)
        }
    }

    @Test func `a program that reads a serial port gets whole sentences from a pseudo-terminal`() throws {
        try OtherRolesTests.run { daemon, sendEpoch in
            let link = daemon.scratch("plotter")
            let bridge = try BridgeProgram(["nmea", "--pty", link, "--sentences", "rmc"], of: daemon, port: 0)
            try waitUntil("the link; \(bridge.process.output)") { access(link, F_OK) == 0 }
            for _ in 0..<2 {
                let number = try systemCall("opening \(link)") { open(link, O_RDWR | O_NOCTTY | O_NONBLOCK) }
                let terminal = FileDescriptor(owning: number)
                var text = ""
                try waitUntil("positions in \(text); \(bridge.process.output)") {
                    try sendEpoch()
                    var buffer = [UInt8](repeating: 0, count: 4096)
                    let count = read(terminal.number, &buffer, buffer.count)
                    text += String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
                    return text.split(separator: "\r\n").count > 3 && text.hasSuffix("\r\n")
                }
                // The first ones may have no position.
                #expect(
                    text.split(separator: "\r\n").allSatisfy {
                        $0.hasPrefix("$GPRMC,") && $0.dropLast(2).hasSuffix("*")
                    })
            }
            bridge.process.send(SIGTERM)
            #expect(try bridge.process.waitForEnd() == .code(0))
            #expect(access(link, F_OK) != 0)
        }
    }

    @Test func `chrony gets measurements after the date is confirmed`() throws {
        // The time of the receiver passes about as fast as that of the host.
        try OtherRolesTests.run(period: 20) { daemon, sendEpoch in
            let path = daemon.scratch("chrony.sock")
            let socket = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_datagram_socket() })
            let number = socket.number
            try systemCall("binding \(path)") { linux_unix_bind(number, path, path.utf8.count) }
            let bridge = try BridgeProgram(["time", "--chrony", path, "--interval", "1"], of: daemon, port: 0)
            var buffer = [UInt8](repeating: 0, count: 100)
            var count = 0
            try waitUntil("a measurement; \(bridge.process.output)") {
                try sendEpoch()
                count = recv(number, &buffer, buffer.count, 0)
                return count > 0
            }
            #expect(count == (Int.bitWidth == 64 ? 40 : 32))
            let offset = buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: Double.self) }
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            // The receiver's date is 2026-03-14T10:00, some seconds later.
            #expect(abs(Double(now.tv_sec) + offset - 1_773_482_400) < 3600, "\(offset)")
        }
    }

    @Test func `the time of a simulated receiver is not used, and the log says so`() throws {
        var drive = Drive(period: 20)
        try TestDaemon.runWithPort { daemon, port in
            let path = daemon.scratch("chrony.sock")
            let socket = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_datagram_socket() })
            let number = socket.number
            try systemCall("binding \(path)") { linux_unix_bind(number, path, path.utf8.count) }
            let bridge = try BridgeProgram(["time", "--chrony", path, "--interval", "1"], of: daemon, port: 0)
            try waitUntil("the reason; \(bridge.process.output)") {
                try port.send("$GPTXT,01,01,02,SIMULATED BY SEXTANT*4D\r\n")
                try port.send(drive.next())
                _ = poll(nil, 0, 20)
                return bridge.process.output.contains("the receiver gps is simulated")
            }
            var byte: UInt8 = 0
            #expect(recv(number, &byte, 1, Int32(MSG_DONTWAIT)) < 0)
        }
    }

    @Test func `the command line shows offset, jitter and samples`() throws {
        try OtherRolesTests.run(period: 20) { daemon, sendEpoch in
            let command = try ChildProcess(
                [
                    try Programs.path(of: "sextant"), "time", "--samples", "3", "--json", "--state",
                    daemon.scratch("none"), "--socket", daemon.socket,
                ], record: daemon.scratch("time"))
            try waitUntil("samples; \(command.output)") {
                try sendEpoch()
                _ = poll(nil, 0, 20)
                return !command.isRunning
            }
            #expect(try command.waitForEnd() == .code(0), "\(command.output)")
            let summary = try JSONValue(parsing: Array(command.output.utf8.filter { $0 != 10 }))
            #expect(summary["samples"] == 3 && summary["jitter"] != nil)
            #expect(summary["delaySource"] == "family" && summary["delayUncertainty"] != nil)
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let offset = try #require(summary["offset"]?.double)
            #expect(abs(Double(now.tv_sec) + offset - 1_773_482_400) < 3600, "\(offset)")
        }
    }

    /// A unit that no program of this machine uses.
    @Test func `ntpd's shared memory gets measurements where it is named`() throws {
        try OtherRolesTests.run(period: 20) { daemon, sendEpoch in
            let unit = 128 + Int(getpid() % 120)
            // With a known delay it does not wait for one.
            let rows = ["-", "4800", "9600", "38400", "115200"].flatMap { baud in
                ["firstByte", "endOfSentences"].map { moment in
                    "{\"receiver\":\"\(daemon.scratch("gps")) \(baud) \(moment)\",\"delays\":{\"counts\":{\"50\":16},"
                        + "\"clockError\":0.001}}"
                }
            }
            _ = try daemon.scratch.write("{\"receivers\":[\(rows.joined(separator: ","))]}", to: "delays.json")
            let bridge = try BridgeProgram(
                ["time", "--shm", "\(unit)", "--interval", "1", "--state", daemon.scratch.path], of: daemon, port: 0)
            var memory: UnsafeMutableRawPointer?
            try waitUntil("a measurement; \(bridge.process.output)") {
                try sendEpoch()
                _ = poll(nil, 0, 20)
                if memory == nil {
                    let identifier = shmget(0x4e54_5030 + Int32(unit), 96, 0)
                    if identifier >= 0 { memory = shmat(identifier, nil, 0) }
                }
                return memory?.load(fromByteOffset: 48, as: Int32.self) == 1
            }
            let found = try #require(memory)
            defer {
                shmctl(shmget(0x4e54_5030 + Int32(unit), 96, 0), IPC_RMID, nil)
                shmdt(found)
            }
            #expect(found.load(as: Int32.self) == 1 && found.load(fromByteOffset: 4, as: Int32.self) % 2 == 0)
            let clock = found.load(fromByteOffset: 8, as: Int64.self)
            #expect(abs(clock - 1_773_482_400) < 3600, "\(clock)")
            let received = found.load(fromByteOffset: 24, as: Int64.self)
            #expect(abs(received - Int64(time(nil))) < 60)
        }
    }

    @Test func `a missing directory of a Unix socket is named and not created`() throws {
        try TestDaemon.run { daemon in
            let directory = daemon.scratch("none")
            let bridge = try BridgeProgram(["nmea", "--unix", "\(directory)/nmea.sock"], of: daemon, port: 0)
            #expect(try bridge.process.waitForEnd() == .code(1))
            #expect(bridge.process.output.contains("there is no directory \(directory)"), "\(bridge.process.output)")
            #expect(access(directory, F_OK) != 0)
        }
    }
}
