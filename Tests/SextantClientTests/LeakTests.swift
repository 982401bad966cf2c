import DaemonSupport
import TestSupport
import Testing

@testable import SextantClient

/// What programs begin and then cancel or drop leaves nothing, also if the daemon is restarted
/// meanwhile. `make leak-test` runs the full counts.
@Suite(.serialized) struct LeakTests {
    /// What a task of the test uses until it is cancelled.
    private enum Use: Int, CaseIterable {
        case locations, firstLocation, oneLocation, events, session, activity, receivers, permission

        func run(_ number: Int, _ client: Client) async throws {
            switch self {
            case .locations: for try await _ in client.locations(.fitness) {}
            case .firstLocation: _ = try await client.locations().first { _ in true }
            case .oneLocation:
                // The daemon has no receiver, so the call lasts until it is cancelled.
                await #expect(throws: CancellationError.self) { try await client.location(timeout: .seconds(300)) }
            case .events:
                let monitor = client.monitor("leak\(number % 100)")
                do {
                    for try await _ in monitor.events {}
                } catch SextantError.noSuchMonitor, SextantError.monitorInUse {
                    // The daemon has not read the end of an earlier connection yet.
                }
            case .session:
                let session = client.session()
                while try await session.nextDiagnostics() != nil {}
                // Half of the programs only drop their session.
                if number.isMultiple(of: 2) { session.invalidate() }
            case .activity:
                let lease = client.keepActive()
                while try await lease.nextState() != nil {}
            case .receivers: for try await _ in client.receiverChanges() {}
            case .permission: for try await _ in client.permissionChanges() {}
            }
        }
    }

    @Test func `cancellations and restarts leave no descriptor and no demand`() async throws {
        var run = LeakRun(cancellations: 200, restarts: 20)
        let configuration = "[service]\nmax_connections_per_user = 1000\n[receivers]\ndiscover = false\n"
        try await TestDaemon.serve(configuration: configuration) { daemon in
            let client = Client(socket: daemon.socket)
            try await run.run(with: daemon) { number in
                Task { try await Use.allCases[number % Use.allCases.count].run(number, client) }
            }
            try await eventually("no request") { try await client.consumers().consumers.isEmpty }
            try await eventually("one connection") { try await client.status().connections == 1 }
            try await eventually("no open connection") { daemon.clientDescriptors == 0 }
        }
    }
}
