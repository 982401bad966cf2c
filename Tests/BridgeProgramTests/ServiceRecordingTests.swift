import DaemonSupport
import Glibc
import TestSupport
import Testing
import Varlink
import VarlinkClient

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

    private static func record(_ path: String, socket: String, _ scratch: Scratch) throws -> ChildProcess {
        try ChildProcess(
            [
                try Programs.path(of: "sextant"), "record", "--receiver", "gps", "--output", path, "--json",
                "--socket", socket,
            ], record: scratch("record"))
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_size : 0
    }

    @Test func `sentences that have arrived when the service ends are recorded`() throws {
        let scratch = try Scratch()
        let gps = try VirtualPort(scratch("gps"))
        try TestDaemon.run(devices: [gps.link], scratch: scratch) { daemon in
            var drive = Drive()
            try gps.send(drive.next(3))
            let path = scratch("drive.nmea")
            let record = try ServiceRecordingTests.record(path, socket: daemon.socket, scratch)
            try waitUntil("a recording; \(record.output)") {
                try gps.send(drive.next())
                _ = poll(nil, 0, 20)
                return ServiceRecordingTests.size(of: path + ".part") > 0
            }
            record.send(SIGSTOP)
            // The replies of an epoch are sent before those of the next one.
            var stream = try BlockingClient.connect(path: daemon.socket).stream("io.sextant.Receiver.Sentences")
            for marker in ["PTEST,1", "PTEST,2"] {
                try waitUntil("\(marker) is sent") {
                    try gps.send(sentence(marker).utf8 + drive.next())
                    _ = poll(nil, 0, 20)
                    guard case .reply(let reply) = try stream.nextIfAvailable() else { return false }
                    return "\(reply.parameters)".contains(marker)
                }
            }
            daemon.kill()
            record.send(SIGCONT)
            #expect(try record.waitForEnd() != .code(0))
            #expect(Scratch.text(of: path).contains("$PTEST,1*"), "\(record.output)")
        }
    }

    @Test func `the end of the locations does not end a recording`() throws {
        let scratch = try Scratch()
        let path = scratch("drive.nmea")
        let service = try FakeService(at: scratch("socket"))
        let record = try ServiceRecordingTests.record(path, socket: service.path, scratch)
        let session = try service.accept()
        #expect(try session.call().method == "io.sextant.Session.Declare")
        try session.send(Reply(parameters: ["diagnostics": [:]], continues: true))
        let receivers = try service.accept()
        #expect(try receivers.call().method == "io.sextant.Receiver.Watch")
        try receivers.send(Reply(parameters: ["receivers": .array([])], continues: true))
        let sentences = try service.accept()
        #expect(try sentences.call().method == "io.sextant.Receiver.Sentences")
        do {
            let locations = try service.accept()
            #expect(try locations.call().method == "io.sextant.Location.Subscribe")
        }
        var count = 0
        try waitUntil("a longer recording; \(record.output)") {
            count += 1
            let line = JSONValue.string(String(sentence("PTEST,\(count)").prefix { !$0.isNewline }))
            let parameters: [String: JSONValue] = [
                "sequence": .int(Int64(count)), "receiver": "gps", "dropped": 0,
                "sentences": .array(Array(repeating: line, count: 200)),
            ]
            try sentences.send(Reply(parameters: parameters, continues: true))
            return ServiceRecordingTests.size(of: path + ".part") > 2000
        }
        record.send(SIGINT)
        #expect(try record.waitForEnd() == .code(0), "\(record.output)")
    }
}
