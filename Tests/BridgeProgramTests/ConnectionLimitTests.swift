import DaemonSupport
import Glibc
import Testing

/// More clients than the bridge accepts at once, or has descriptors for.
@Suite(.serialized) struct ConnectionLimitTests {
    /// Runs the role `gpsd` with a limit of open files, set by a shell.
    private static func run(
        limit: String, _ body: (TestDaemon, BridgeProgram) throws -> Void
    ) throws {
        try TestDaemon.run { daemon in
            let port = try BridgeProgram.freePort()
            let bridge = try BridgeProgram(
                ["gpsd", "--listen", "127.0.0.1:\(port)"], of: daemon, port: port,
                before: ["sh", "-c", "\(limit); exec \"$0\" \"$@\""])
            try bridge.waitForPort()
            try body(daemon, bridge)
        }
    }

    @Test func `the soft limit of open files is raised, and a burst of clients is accepted`() throws {
        try ConnectionLimitTests.run(limit: "ulimit -Sn 64") { _, bridge in
            let clients = try (0..<300).map { _ in try TCPClient(port: bridge.port) }
            for client in clients { try client.until("\"class\":\"VERSION\"") }
        }
    }

    @Test func `without free descriptors a connection is closed, and the others continue`() throws {
        try ConnectionLimitTests.run(limit: "ulimit -n 40") { _, bridge in
            let first = try TCPClient(port: bridge.port)
            try first.until("VERSION")
            var accepted: [TCPClient] = []
            var refused = 0
            for _ in 0..<80 {
                let client = try TCPClient(port: bridge.port)
                do {
                    try client.until("VERSION")
                    accepted.append(client)
                } catch {
                    refused += 1
                }
            }
            #expect(refused >= 40 && accepted.count >= 10, "\(accepted.count) accepted, \(refused) refused")
            try first.send("?VERSION;")
            try first.until("VERSION")
            accepted = []
            try waitUntil("a free descriptor") {
                let client = try TCPClient(port: bridge.port)
                return (try? client.until("VERSION")) != nil
            }
        }
    }

    @Test func `a client that reads no answers is not read either`() throws {
        try ConnectionLimitTests.run(limit: "true") { _, bridge in
            let client = try TCPClient(port: bridge.port)
            try client.until("VERSION")
            let requests = String(repeating: "?VERSION;", count: 7000)
            var sent = 0
            var refused = 0
            try waitUntil("the end of the bridge's patience") {
                let count = client.sendNow(requests)
                sent += count
                refused = count > 0 ? 0 : refused + 1
                return refused > 300 || sent > 100_000_000
            }
            #expect(sent < 100_000_000)
            let other = try TCPClient(port: bridge.port)
            try other.until("VERSION")
            // It reads again: the requests that waited are answered.
            try client.until("VERSION")
            try other.send("?VERSION;")
            try other.until("VERSION")
        }
    }
}
