import DaemonSupport
import Glibc
import TestSupport
import Testing
import Varlink

@testable import ClientTransport

/// The transport with the real daemon. The tests run one at a time, because they count descriptors
/// of the process.
@Suite(.serialized) struct DaemonTransportTests {
    private static let many = "[service]\nmax_connections_per_user = 1000\n[receivers]\ndiscover = false\n"
    private static let subscribe = "io.sextant.Location.Subscribe"

    private func transport(_ daemon: TestDaemon) -> Transport { Transport(socket: daemon.socket, limits: .quick) }

    private func subscribe(_ daemon: TestDaemon) -> OpenCall {
        transport(daemon).stream(
            Self.subscribe, ["configuration": "automotiveNavigation"], delivery: .latest)
    }

    /// Returns the number of descriptors of this process that are connected to a daemon, or were.
    /// Other tests run in the same process.
    private func descriptors(to daemon: TestDaemon) -> Int {
        Scratch.names(in: "/proc/self/fd").count { name in
            var address = sockaddr_un()
            var length = socklen_t(MemoryLayout<sockaddr_un>.size)
            let result = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(Int32(name) ?? -1, $0, &length) }
            }
            let path = withUnsafeBytes(of: &address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            return result == 0 && path == daemon.socket
        }
    }

    private nonisolated(nonsending) func consumers(_ daemon: TestDaemon) async throws -> Int {
        try await transport(daemon).call("io.sextant.Manager.GetConsumers")["consumers"]?.array?.count ?? -1
    }

    @Test func `a stream continues after a restart of the daemon`() async throws {
        let scratch = try Scratch()
        let port = try VirtualPort(scratch("gps"))
        try await TestDaemon.serve(devices: [port.link], scratch: scratch) { daemon in
            let call = subscribe(daemon)
            var drive = Drive()
            for round in 0..<5 {
                try daemon.waitForReceiver("detectingBaudRate", "silent")
                try port.send(drive.next(3))
                var arrival = try await call.next()
                // An update from before the restart can still be in the queue.
                while let update = arrival, update.parameters["location"] == nil || update.connection <= round {
                    arrival = try await call.next()
                }
                #expect(arrival != nil)
                if round.isMultiple(of: 2) { daemon.kill() } else { daemon.terminate() }
                _ = try daemon.process.waitForEnd()
                try daemon.startAgain()
            }
        }
    }

    @Test func `a hundred concurrent streams each get their updates`() async throws {
        let scratch = try Scratch()
        let port = try VirtualPort(scratch("gps"))
        try await TestDaemon.serve(devices: [port.link], configuration: Self.many, scratch: scratch) { daemon in
            let calls = (0..<100).map { _ in subscribe(daemon) }
            for call in calls { _ = try await call.next() }
            let all = try await consumers(daemon)
            #expect(all == 100)
            var drive = Drive()
            try port.send(drive.next(3))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for call in calls {
                    group.addTask {
                        while let arrival = try await call.next(), arrival.parameters["location"] == nil {}
                    }
                }
                try await group.waitForAll()
            }
            for call in calls { call.close() }
            try await eventually("no request") { try await consumers(daemon) == 0 }
        }
    }

    @Test func `cancellations and restarts leave no descriptor and no demand`() async throws {
        let seed = Environment.number("SEXTANT_SEED") ?? UInt64.random(in: 0...UInt64.max)
        let (cancellations, restarts) = (1000, 200)
        print("SEXTANT_SEED=\(seed)")
        var random = SeededGenerator(seed: seed)
        try await TestDaemon.serve(configuration: Self.many) { daemon in
            let kept = subscribe(daemon)
            _ = try await kept.next()
            #expect(descriptors(to: daemon) == 1, "the count works")
            kept.close()
            for round in 0..<max(cancellations / 10, restarts) {
                let tasks = (0..<10).map { _ in
                    let (call, takes) = (subscribe(daemon), Int.random(in: 0...2, using: &random))
                    return Task {
                        for _ in 0..<takes { if try await call.next() == nil { return } }
                    }
                }
                let isRestart = round < restarts
                if isRestart { daemon.kill() }
                for task in tasks.shuffled(using: &random) {
                    for _ in 0..<Int.random(in: 0...3, using: &random) { await Task.yield() }
                    task.cancel()
                }
                for task in tasks { try await task.value }
                if isRestart { try daemon.startAgain() }
            }
            try await eventually("no request") { try await consumers(daemon) == 0 }
            try await eventually("no open connection") { descriptors(to: daemon) == 0 }
        }
    }
}

/// Numbers that select a test run.
enum Environment {
    static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
}
