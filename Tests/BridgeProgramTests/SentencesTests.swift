import DaemonSupport
import Glibc
import TestSupport
import Testing
import Varlink
import VarlinkClient

/// `io.sextant.Receiver.Sentences` and `sextant tail` with a receiver on a port and one that is
/// provided.
@Suite(.serialized) struct SentencesTests {
    private static func run(_ body: (TestDaemon, VirtualPort) throws -> Void) throws {
        let scratch = try Scratch()
        let port = try VirtualPort(scratch("gps"))
        try TestDaemon.run(devices: [port.link], scratch: scratch) { try body($0, port) }
    }

    /// Runs `sextant tail`.
    private static func tail(_ words: [String], of daemon: TestDaemon) throws -> ChildProcess {
        try ChildProcess(
            [try Programs.path(of: "sextant"), "tail"] + words + ["--socket", daemon.socket],
            record: daemon.scratch("tail\(words.joined())"))
    }

    @Test func `tail prints what the receiver sends, and only the types that are asked for`() throws {
        try SentencesTests.run { daemon, port in
            let all = try SentencesTests.tail([], of: daemon)
            let few = try SentencesTests.tail(["rmc", "--json"], of: daemon)
            var drive = Drive()
            var sent: [UInt8] = []
            try waitUntil("sentences; \(all.output); \(few.output)") {
                let epoch = drive.next()
                sent += epoch
                try port.send(epoch + sentence("PUBX,40,\u{e9}").utf8)
                _ = poll(nil, 0, 20)
                return all.output.contains("$GPRMC") && few.output.contains("$GPRMC")
            }
            let text = String(decoding: sent, as: UTF8.self)
            let lines = all.output.split(whereSeparator: \.isNewline)
            #expect(lines.filter { $0.hasPrefix("$GP") }.allSatisfy { text.contains($0) }, "\(lines)")
            #expect(lines.contains { $0.hasPrefix("$GPGGA") } && !few.output.contains("GPGGA"))
            // A note about a sleeping receiver may precede it.
            let start = #"{"dropped":0,"receiver":"gps","sentences":["#
            #expect(few.output.split(separator: "\n").contains { $0.hasPrefix(start) }, "\(few.output)")
        }
    }

    @Test func `tail continues after a restart of the daemon, also before the first sentence`() throws {
        try SentencesTests.run { daemon, port in
            let tail = try SentencesTests.tail([], of: daemon)
            // Its session, its sentences, and this call.
            try waitUntil("the connections; \(tail.output)") {
                let status = try BlockingClient.connect(path: daemon.socket).call(
                    "io.sextant.Manager.GetStatus")
                return status["status"]?["connections"]?.int == 3
            }
            daemon.kill()
            try daemon.startAgain()
            try daemon.waitForReceiver("detectingBaudRate", "silent")
            var drive = Drive()
            try waitUntil("sentences; \(tail.output)") {
                try port.send(drive.next())
                _ = poll(nil, 0, 20)
                return tail.output.contains("$GPRMC")
            }
        }
    }

    @Test func `a demonstration whose reader ends stops its programs and removes its files`() throws {
        let scratch = try Scratch()
        func leftovers() -> Set<String> { Set(Scratch.names(in: "/tmp").filter { $0.hasPrefix("sextant-demo.") }) }
        let before = leftovers()
        let sextant = try Programs.path(of: "sextant")
        let demo = try ChildProcess(
            ["/bin/sh", "-c", "\"\(sextant)\" demo --json | head -n 1"], record: scratch("demo"))
        _ = try demo.waitForEnd()
        #expect(demo.output.hasPrefix("{"), "\(demo.output)")
        #expect(leftovers().isSubset(of: before))
    }

    @Test func `a stream of sentences is no demand, and ends with the connection`() throws {
        try SentencesTests.run { daemon, port in
            var stream: ReplyStream? = try BlockingClient.connect(path: daemon.socket).stream(
                "io.sextant.Receiver.Sentences")
            var drive = Drive()
            try waitUntil("sentences") {
                try port.send(drive.next())
                if case .reply = try stream?.nextIfAvailable() { return true }
                return false
            }
            let reply = try BlockingClient.connect(path: daemon.socket).call(
                "io.sextant.Manager.GetConsumers")
            #expect((reply["consumers"]?.array ?? []).isEmpty)
            stream = nil
            for _ in 0..<3 { try port.send(drive.next()) }
        }
    }

    @Test(arguments: [#"{"types":[]}"#, #"{"types":["rmc"]}"#, #"{"types":["R,C"]}"#, #"{"receiver":"none"}"#])
    func `wrong parameters are errors`(_ parameters: String) throws {
        try SentencesTests.run { daemon, _ in
            let client = try BlockingClient.connect(path: daemon.socket)
            var stream = try client.stream(
                "io.sextant.Receiver.Sentences", with: try JSONValue(parsing: Array(parameters.utf8)))
            #expect(throws: ClientError.self) { _ = try stream.next(timeout: .seconds(10)) }
        }
    }
}
