import DaemonSupport
import Foundation
import Synchronization
import TestSupport
import Testing
import Varlink
import VarlinkClient

@testable import CoreLocation

/// What programs begin and then cancel or drop leaves nothing, also if the daemon is restarted
/// meanwhile. `make leak-test` runs the full counts.
@Suite(.serialized) struct LeakTests {
    /// What a task of the test uses until it is cancelled.
    private enum Use: Int, CaseIterable {
        case updates, firstUpdate, monitor, session, activity, manager

        func run(_ number: Int, _ objects: Objects) async throws {
            switch self {
            case .updates: for try await _ in CLLocationUpdate.liveUpdates() {}
            case .firstUpdate: _ = try await CLLocationUpdate.liveUpdates().first { _ in true }
            case .monitor:
                let monitor = await CLMonitor("leak\(number % 100)")
                objects.watch(monitor, monitor.events.store)
                await monitor.add(circle(), identifier: "place")
                for try await _ in monitor.events {}
            case .session:
                let session = CLServiceSession(authorization: .whenInUse)
                objects.watch(session)
                for try await _ in session.diagnostics {}
                // Half of the programs only drop their session.
                if number.isMultiple(of: 2) { session.invalidate() }
            case .activity:
                let activity = CLBackgroundActivitySession()
                objects.watch(activity)
                for try await _ in activity.diagnostics {}
            case .manager:
                let (manager, delegate) = (CLLocationManager(), Delegate())
                objects.watch(manager, manager.core, delegate)
                manager.delegate = delegate
                manager.startUpdatingLocation()
                manager.startMonitoringSignificantLocationChanges()
                manager.startMonitoringVisits()
                manager.startUpdatingHeading()
                manager.requestLocation()
                for await _ in AsyncStream<Void>.makeStream().stream {}
                withExtendedLifetime(delegate) {}
            }
        }
    }

    private final class Delegate: NSObject, CLLocationManagerDelegate {}

    /// The objects that must be released. A task that continued would retain one of them.
    private final class Objects: Sendable {
        private struct Weak: @unchecked Sendable { weak var object: AnyObject? }
        private let all = Mutex<[Weak]>([])

        func watch(_ objects: AnyObject...) {
            let new = objects.map { Weak(object: $0) }
            all.withLock { $0 += new }
        }

        var names: [String] { all.withLock { $0.compactMap { $0.object.map { "\(type(of: $0))" } } } }
    }

    @Test func `cancellations and restarts leave no descriptor, no object and no demand`() async throws {
        var run = LeakRun(cancellations: 200, restarts: 20)
        let objects = Objects()
        let configuration = "[service]\nmax_connections_per_user = 1000\n[receivers]\ndiscover = false\n"
        try await TestDaemon.serve(configuration: configuration) { daemon in
            try await withModule(at: daemon.socket, answerTimeout: 30) {
                try await run.run(with: daemon) { number in
                    Task { try await Use.allCases[number % Use.allCases.count].run(number, objects) }
                }
                let transport = DaemonConnection.transport
                try await eventually("one connection") {
                    try await transport.call("io.sextant.Manager.GetStatus")["status"]?["connections"] == 1
                }
                // Conditions persist, and their demand with them.
                let monitors = try await transport.call("io.sextant.Monitor.ListMonitors")["monitors"]?.array ?? []
                for name in monitors.compactMap({ $0["name"] }) {
                    _ = try await transport.call("io.sextant.Monitor.Delete", ["name": name])
                }
                var consumers: [JSONValue]?
                try await eventually("no request: \(consumers ?? []), \(objects.names)") {
                    consumers = try await transport.call("io.sextant.Manager.GetConsumers")["consumers"]?.array
                    return consumers?.isEmpty == true
                }
            }
            try await eventually("no open connection") { daemon.clientDescriptors == 0 }
            try await eventually("no object: \(objects.names)") { objects.names.isEmpty }
        }
    }
}
