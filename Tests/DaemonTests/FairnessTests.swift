import Glibc
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    /// Tests that calls of one client delay neither receivers nor other clients. The daemon is
    /// stopped while the calls are sent, so that it finds all of them at once.
    @Suite struct Fairness {
        /// The number of calls that one connection sends at once: as many as fit its buffers.
        private static let pipelined = 1000
        private static let connections = 16
        /// The number of other connections, because the kernel reports the ready ones in any order.
        private static let others = 32
        /// The number of calls of the former that may be answered before one call of each of the
        /// others. Some are answered after them, before the daemon is stopped again. Served at
        /// once, each connection gets about 100 replies, until its output is full.
        private static let maxAnsweredFirst = 400

        private static let call = "{\"method\":\"org.varlink.service.GetInfo\"}\0"

        /// Sends calls on many connections of which none reads yet, with the daemon stopped.
        private func attack(_ daemon: TestDaemon) throws -> [RawClient] {
            let clients = try (0..<Fairness.connections).map { _ in try RawClient(daemon.socket) }
            try daemon.connect().call("org.varlink.service.GetInfo")
            daemon.process.send(SIGSTOP)
            let calls = String(repeating: Fairness.call, count: Fairness.pipelined)
            for client in clients { client.send(calls) }
            return clients
        }

        /// Stops the daemon and returns the number of replies that it has sent to clients.
        private func answered(_ clients: [RawClient], _ daemon: TestDaemon) throws -> Int {
            daemon.process.send(SIGSTOP)
            defer { daemon.process.send(SIGCONT) }
            var count = 0
            for client in clients {
                while client.hasMessage || waitReadable(client.descriptor, within: .zero) {
                    guard try client.next() != nil else { break }
                    count += 1
                }
            }
            return count
        }

        @Test func `pipelined calls of some connections do not delay the calls of others`() throws {
            try TestDaemon.run { daemon in
                let others = try (0..<Fairness.others).map { _ in try RawClient(daemon.socket) }
                let clients = try attack(daemon)
                for other in others { other.send(Fairness.call) }
                daemon.process.send(SIGCONT)
                for other in others { #expect(try other.next()?.parameters["product"] == "sextantd") }
                let count = try answered(clients, daemon)
                #expect(count <= Fairness.maxAnsweredFirst, "\(count) calls were answered first")
            }
        }

        @Test func `pipelined calls do not delay an update`() throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                let stream = try daemon.subscribe()
                var drive = Drive()
                try port.send(drive.next(3))
                try stream.until("the third epoch") { $0.timestamp == drive.timestamp(2) }
                let clients = try attack(daemon)
                try port.send(drive.next(2))
                daemon.process.send(SIGCONT)
                try stream.until("the fourth epoch") { $0.timestamp ?? "" >= drive.timestamp(3) }
                let count = try answered(clients, daemon)
                #expect(count <= Fairness.maxAnsweredFirst, "\(count) calls were answered first")
            }
        }

        @Test func `every pipelined call is answered in the end`() throws {
            try TestDaemon.run { daemon in
                let clients = try attack(daemon)
                daemon.process.send(SIGCONT)
                for client in clients {
                    client.finishSending()
                    var count = 0
                    while try client.next() != nil { count += 1 }
                    #expect(count == Fairness.pipelined)
                }
            }
        }
    }
}
