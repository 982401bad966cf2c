import DaemonSupport
import TestSupport
import Testing
import Varlink

@testable import VarlinkClient

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
        var run = LeakRun(cancellations: 1000, restarts: 200)
        var random = SeededGenerator(seed: run.seed)
        try await TestDaemon.serve(configuration: Self.many) { daemon in
            let kept = subscribe(daemon)
            _ = try await kept.next()
            #expect(daemon.clientDescriptors == 1, "the count works")
            kept.close()
            try await run.run(with: daemon) { _ in
                let (call, takes) = (subscribe(daemon), Int.random(in: 0...2, using: &random))
                return Task {
                    for _ in 0..<takes { if try await call.next() == nil { return } }
                }
            }
            try await eventually("no request") { try await consumers(daemon) == 0 }
            try await eventually("no open connection") { daemon.clientDescriptors == 0 }
        }
    }
}
