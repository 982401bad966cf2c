import DaemonSupport
import Glibc
import TestSupport
import Testing

/// `sextant record` beside a daemon that has the port open.
@Suite(.serialized) struct ServiceRecordingTests {
    @Test func `the sentences of a receiver are recorded while the service runs`() throws {
        let scratch = try Scratch()
        let gps = try VirtualPort(scratch("gps"))
        try TestDaemon.run(devices: [gps.link], scratch: scratch) { daemon in
            var drive = Drive()
            try gps.send(drive.next(3))
            let path = scratch("drive.nmea")
            let record = try ChildProcess(
                [
                    try Programs.path(of: "sextant"), "record", "--receiver", "gps", "--output", path, "--json",
                    "--socket", daemon.socket,
                ], record: scratch("record"))
            try waitUntil("a recording; \(record.output)") {
                try gps.send(drive.next())
                _ = poll(nil, 0, 20)
                var status = stat()
                return stat(path + ".part", &status) == 0 && status.st_size > 2000
            }
            record.send(SIGINT)
            #expect(try record.waitForEnd() == .code(0), "\(record.output)")
            let text = Scratch.text(of: path)
            #expect(
                text.hasPrefix("# Name: drive\n") && text.contains("RMC,") && text.contains("GGA,"),
                "\(text.prefix(600))")
            #expect(text.contains("# Location: 51, ") && record.output.contains("\"fixes\":"), "\(record.output)")
        }
    }

    @Test func `an unknown receiver leaves no file`() throws {
        let scratch = try Scratch()
        try TestDaemon.run(scratch: scratch) { daemon in
            let path = scratch("drive.nmea")
            let record = try ChildProcess(
                [
                    try Programs.path(of: "sextant"), "record", "--receiver", "gps", "--output", path, "--socket",
                    daemon.socket,
                ], record: scratch("record"))
            #expect(try record.waitForEnd() != .code(0))
            #expect(access(path, F_OK) != 0 && access(path + ".part", F_OK) != 0, "\(record.output)")
        }
    }
}
