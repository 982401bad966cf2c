import Chronology
import ServiceRuntime
import Testing
import Varlink

@testable import sextantd

extension WholeDaemon {
    /// Tests that memory for much work at once is returned when the work is done.
    @Suite struct Memory {
        private static let connections = 60
        private static let maxGrowth = 1024
        private static let call = "{\"method\":\"org.varlink.service.GetInfo\"}\0"

        /// Sends text on many connections, which end after the first reply.
        private func send(_ text: String, to daemon: TestDaemon) throws {
            let clients = try (0..<Memory.connections).map { _ in try RawClient(daemon.socket) }
            for client in clients { client.send(text) }
            for client in clients { #expect(try client.next()?.parameters["product"] == "sextantd") }
        }

        /// Many short calls and one long one, as long as fits the buffers.
        @Test(arguments: [
            Sending(String(repeating: call, count: 1000)),
            Sending("{\"method\":\"org.varlink.service.GetInfo\"" + String(repeating: " ", count: 60_000) + "}\0"),
        ])
        func `memory is returned after many calls although nothing else happens`(_ calls: Sending) throws {
            try TestDaemon.run { daemon in
                try daemon.connect().call("org.varlink.service.GetInfo")
                let before = ProcessFigures(of: daemon.process).anonymous
                for _ in 0..<2 {
                    try send(calls.text, to: daemon)
                    // Nothing wakes the daemon but the work that is left.
                    try waitUntil("the memory being returned") {
                        ProcessFigures(of: daemon.process).anonymous <= before + Memory.maxGrowth
                    }
                }
            }
        }
    }
}

@Suite struct MemoryTrimmerTests {
    @Test func `a release beyond the rate follows later`() {
        let memory = MemoryTrimmer()
        #expect(memory.deadline == nil)
        let start = Instant.zero + .seconds(100)
        memory.requestTrim()
        memory.trimIfRequested(at: start)
        #expect(memory.deadline == nil)
        memory.requestTrim()
        memory.trimIfRequested(at: start + .seconds(0.5))
        #expect(memory.deadline == start + .seconds(1))
        memory.trimIfRequested(at: start + .seconds(1))
        #expect(memory.deadline == nil)
    }
}
