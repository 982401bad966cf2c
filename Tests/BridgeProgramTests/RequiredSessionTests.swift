import DaemonSupport
import Glibc
import TestSupport
import Testing
import Varlink
import VarlinkClient

/// The programs of this package where the configuration requires a session of each program.
@Suite(.serialized) struct RequiredSessionTests {
    @Test func `programs that need the location declare a session`() throws {
        let scratch = try Scratch()
        let port = try VirtualPort(scratch("gps"))
        let configuration = "[receivers]\ndiscover = false\n[permissions]\nrequire_session = true\n"
        try TestDaemon.run(devices: [port.link], configuration: configuration, scratch: scratch) { daemon in
            var drive = Drive()
            for words in [["locate"], ["watch", "--json", "--duration", "2s"], ["tail", "rmc"]] {
                let program = try ChildProcess(
                    [try Programs.path(of: "sextant")] + words + ["--socket", daemon.socket],
                    record: scratch(words[0]))
                try waitUntil("a position; \(program.output)") {
                    try port.send(drive.next())
                    _ = poll(nil, 0, 20)
                    return program.output.contains("51.") || program.output.contains("$GPRMC")
                }
                program.send(SIGINT)
                _ = try program.waitForEnd()
            }
            let bridge = try BridgeProgram.gpsd(of: daemon)
            let client = try TCPClient(port: bridge.port)
            try client.send("?WATCH={\"enable\":true,\"json\":true};\n")
            try client.until("\"lat\":51.") {
                try port.send(drive.next())
                _ = poll(nil, 0, 20)
            }
            // A program without a session gets none.
            bridge.process.send(SIGTERM)
            _ = try bridge.process.waitForEnd()
            try waitUntil("a refusal") {
                let update = try BlockingClient.connect(path: daemon.socket).call(
                    "io.sextant.Location.Subscribe")
                return update["serviceSessionRequired"] == true && update["location"] == nil
            }
        }
    }
}
