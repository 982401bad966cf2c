import DaemonSupport
import Foundation
import TestSupport
import Testing
import Varlink
import VarlinkClient

@testable import CoreLocation

extension Behaviour {
    /// Behaviours of permission with the real daemon: 4, 11, 24, 27 and 28.
    @Suite struct PermissionTests {
        @Test func `4 and 11: one iterator shows a denial, a grant and reduced accuracy`() async throws {
            try await Stage.run("[permissions]\ndefault = \"denied\"\n") { stage in
                let reader = Reader(CLLocationUpdate.liveUpdates(.automotiveNavigation))
                let denied = try await reader.next()
                #expect(denied?.authorizationDenied == true && denied?.location == nil)
                try await stage.grant("always")
                try stage.send()
                let granted = try await reader.next()
                #expect(granted?.location != nil && granted?.accuracyLimited == false)
                try await stage.grant("always", accuracy: "reduced")
                var reduced = try await reader.next()
                while reduced?.accuracyLimited == false { reduced = try await reader.next() }
                #expect(reduced?.location.map { $0.horizontalAccuracy > 1000 } == true)
                try await stage.call("Permission.SetEnabled", ["enabled": false])
                let off = try await reader.next()
                #expect(off?.authorizationDeniedGlobally == true)
                try await stage.call("Permission.SetEnabled", ["enabled": true])
            }
        }

        @Test func `24: the first diagnostic reports that an agent is asked, later ones its answer`() async throws {
            try await Stage.run("[permissions]\ndefault = \"ask\"\n") { stage in
                let agent = DaemonConnection.transport.stream("io.sextant.Agent.Serve", delivery: .all)
                let answer = Task {
                    var number: JSONValue?
                    while number == nil { number = try await agent.next()?.parameters["request"]?["number"] }
                    return number ?? 0
                }
                // The daemon must know the agent before it can ask it.
                try await eventually("an agent that is asked") {
                    let session = CLServiceSession(authorization: .whenInUse)
                    defer { session.invalidate() }
                    let first = try await Reader(session.diagnostics).next()
                    return first?.authorizationRequestInProgress == true
                }
                let session = CLServiceSession(authorization: .whenInUse)
                let reader = Reader(session.diagnostics)
                let first = try await reader.next()
                #expect(first?.authorizationRequestInProgress == true)
                _ = try await answer.value
                try await stage.grant("always")
                let last = try await reader.next()
                #expect(last?.authorizationRequestInProgress == false && last?.authorizationDenied == false)
                session.invalidate()
            }
        }

        private static func rules(inUse: Bool) -> String {
            "[permissions]\ndefault = \"whenInUse\"\nin_use_without_logind = \(inUse)\n"
        }

        @Test func `27: a session that is resumed in time continues, although the program is not in use`() async throws
        {
            try await Stage.run(Self.rules(inUse: true)) { stage in
                // The object is released and not invalidated, as at the end of a process.
                _ = try await Self.begunInUse(stage)
                let resumed = CLBackgroundActivitySession()
                let reader = Reader(resumed.diagnostics)
                let second = try await reader.next()
                #expect(second?.insufficientlyInUse == false)
                let updates = Reader(CLLocationUpdate.liveUpdates(.automotiveNavigation))
                try stage.send()
                let update = try await updates.next()
                #expect(update?.insufficientlyInUse == false && update?.location != nil)
                resumed.invalidate()
            }
        }

        /// Begins a session while the program is in use, which it is not any more afterwards.
        private nonisolated(nonsending) static func begunInUse(
            _ stage: Stage
        ) async throws -> CLBackgroundActivitySession {
            let session = CLBackgroundActivitySession()
            let first = try await Reader(session.diagnostics).next()
            #expect(first?.insufficientlyInUse == false)
            try stage.daemon.scratch.write(
                "[receivers]\ndiscover = false\npower = \"off\"\n" + rules(inUse: false), to: "sextant.toml")
            stage.daemon.process.send(SIGHUP)
            try await eventually("a reload") { stage.daemon.logged("configuration reloaded") == 1 }
            return session
        }

        @Test func `27: a session that was invalidated has ended at once, and none continues it`() async throws {
            try await Stage.run(Self.rules(inUse: true)) { stage in
                let session = try await Self.begunInUse(stage)
                session.invalidate()
                // The updates of the time before this are dropped: the newest one waits.
                let updates = Reader(CLLocationUpdate.liveUpdates(.automotiveNavigation))
                var update = try await updates.next()
                while update?.insufficientlyInUse == false { update = try await updates.next() }
                let late = CLBackgroundActivitySession()
                let diagnostic = try await Reader(late.diagnostics).next()
                #expect(diagnostic?.insufficientlyInUse == true)
            }
        }

        @Test func `iterating the events of a monitor is not the session that a configuration requires`() async throws {
            try await Stage.run("[permissions]\nrequire_session = true\n") { stage in
                let monitor = await CLMonitor("places")
                let events = Reader(monitor.events)
                try await eventually("the session of the events") {
                    let reply = try await DaemonConnection.transport.call("io.sextant.Manager.GetConsumers")
                    return reply["sessions"]?.array?.count == 1
                }
                let updates = Reader(CLLocationUpdate.liveUpdates())
                let first = try await updates.next()
                #expect(first?.serviceSessionRequired == true && first?.location == nil)
                let session = CLServiceSession(authorization: .none)
                try stage.send()
                var update = try await updates.next()
                while update?.location == nil { update = try await updates.next() }
                #expect(update?.serviceSessionRequired == false)
                session.invalidate()
                withExtendedLifetime(events) {}
            }
        }

        @Test func `28: a session of a program that is not in use exists, and reports that`() async throws {
            try await Stage.run(Self.rules(inUse: false)) { _ in
                let session = CLBackgroundActivitySession()
                let reader = Reader(session.diagnostics)
                let diagnostic = try await reader.next()
                #expect(diagnostic?.insufficientlyInUse == true)
                session.invalidate()
                let update = try await Reader(CLLocationUpdate.liveUpdates()).next()
                #expect(update?.insufficientlyInUse == true && update?.location == nil)
            }
        }
    }
}
