import DaemonSupport
import Foundation
import Synchronization
import Testing
import Varlink
import VarlinkClient

@testable import CoreLocation

extension Behaviour {
    /// Behaviours 23 to 31 of sessions, with a scripted service.
    @Suite struct SessionTests {
        /// The warnings of a test.
        private final class Warnings: Sendable {
            private let texts = Mutex<[String]>([])
            var all: [String] { texts.withLock { $0 } }
            func add(_ text: String) { texts.withLock { $0.append(text) } }
        }

        @Test func `23: a session without a variable ends at once, with a warning`() async throws {
            let script = try Script()
            let warnings = Warnings()
            try await withModule(at: script.service.path) {
                DeveloperWarning.$receiverOfTest.withValue(warnings.add) {
                    CLServiceSession.$shortestUse.withValue(.seconds(3600)) {
                        _ = CLServiceSession(authorization: .whenInUse)
                    }
                    CLServiceSession.$shortestUse.withValue(.zero) {
                        _ = CLServiceSession(authorization: .whenInUse)
                    }
                }
                #expect(warnings.all.count == 1 && warnings.all[0].contains("variable"))
            }
        }

        @Test func `23: a session in a variable lives through a loop`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path) {
                let task = Task {
                    let session = CLServiceSession(authorization: .whenInUse)
                    for try await update in CLLocationUpdate.liveUpdates() where update.location != nil { break }
                    session.invalidate()
                }
                var session: FakeService.Connection?
                var updates: FakeService.Connection?
                for _ in 0..<2 {
                    let connection = try await script.service.accept()
                    if try await connection.call().member == "Declare" {
                        session = connection
                    } else {
                        updates = connection
                    }
                }
                try await session?.send(["diagnostics": [:]])
                try await updates?.send(["authorizationDenied": true])
                try await updates?.send(["location": location()])
                try await task.value
                try await session?.waitForClose()
            }
        }

        @Test func `24: the first diagnostic reports a request to the user`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path) {
                let session = CLServiceSession(authorization: .whenInUse)
                let reader = Reader(session.diagnostics)
                let (connection, call) = try await script.accept("Declare")
                #expect(call.parameters == ["requirement": "whenInUse"])
                try await connection.send(["diagnostics": ["authorizationRequestInProgress": true]])
                let first = try await reader.next()
                #expect(first?.authorizationRequestInProgress == true)
                try await connection.send(["diagnostics": [:]])
                let second = try await reader.next()
                #expect(second?.authorizationRequestInProgress == false)
                session.invalidate()
            }
        }

        @Test func `25: diagnostics end with nil after invalidate`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path) {
                var session: CLServiceSession? = CLServiceSession(authorization: .always)
                let diagnostics = try #require(session?.diagnostics)
                let reader = Reader(diagnostics)
                let (connection, _) = try await script.accept("Declare")
                try await connection.send(["diagnostics": [:]])
                _ = try await reader.next()
                session?.invalidate()
                session = nil
                let end = try await reader.next()
                #expect(end == nil)
                try await connection.waitForClose()
                let late = try await Reader(diagnostics).next()
                #expect(late == nil)
            }
        }

        @Test func `26: the end of one session keeps the others`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path) {
                let first = CLServiceSession(authorization: .whenInUse)
                let (one, _) = try await script.accept("Declare")
                try await one.send(["diagnostics": [:]])
                let second = CLServiceSession(authorization: .always)
                let (two, call) = try await script.accept("Declare")
                #expect(call.parameters["requirement"] == "always")
                try await two.send(["diagnostics": [:]])
                second.invalidate()
                try await two.waitForClose()
                let reader = Reader(first.diagnostics)
                _ = try await reader.next()
                try await one.send(["diagnostics": ["authorizationDenied": true]])
                let later = try await reader.next()
                #expect(later?.authorizationDenied == true)
                first.invalidate()
            }
        }

        @Test func `27: a session is declared again after a restart of the daemon`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path) {
                let session = CLServiceSession(authorization: .always)
                do {
                    let (connection, _) = try await script.accept("Declare")
                    try await connection.send(["diagnostics": [:]])
                    _ = try await Reader(session.diagnostics).next()
                }
                let (again, call) = try await script.accept("Declare")
                #expect(call.parameters["requirement"] == "always")
                try await again.send(["diagnostics": [:]])
                session.invalidate()
                try await again.waitForClose()
            }
        }

        @Test func `28: a session that is not in use exists, and reports that`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path) {
                let session = CLBackgroundActivitySession()
                let reader = Reader(session.diagnostics)
                var held: [FakeService.Connection] = []
                for _ in 0..<2 {
                    let connection = try await script.service.accept()
                    if try await connection.call().member == "KeepActive" {
                        try await connection.refuse(
                            "io.sextant.Session.NotInUse", ["detail": "no active login session"])
                    } else {
                        try await connection.send(["diagnostics": [:]])
                    }
                    held.append(connection)
                }
                let first = try await reader.next()
                #expect(first?.insufficientlyInUse == true && first?.authorizationDenied == false)
                session.invalidate()
                let end = try await reader.next()
                #expect(end == nil)
            }
        }

        /// Runs a test whose `Info.plist` has these texts.
        private nonisolated(nonsending) func withTexts(
            _ texts: [String: String], _ warnings: Warnings,
            _ body: nonisolated(nonsending) (Script) async throws -> Void
        ) async throws {
            let script = try Script()
            try await UsageDescription.$textsOfTest.withValue(texts) {
                try await UsageDescription.$isMissingNamed.withValue(Locked(false)) {
                    try await DeveloperWarning.$receiverOfTest.withValue(warnings.add) {
                        try await withModule(at: script.service.path) { try await body(script) }
                    }
                }
            }
        }

        @Test func `the usage description is declared before the updates, for as long as they last`() async throws {
            let warnings = Warnings()
            try await withTexts(["NSLocationWhenInUseUsageDescription": "Shows your road."], warnings) { script in
                var reader: Reader<CLLocationUpdate>? = Reader(CLLocationUpdate.liveUpdates())
                let (session, call) = try await script.accept("Declare")
                #expect(
                    call.parameters
                        == ["requirement": "whenInUse", "usageDescription": "Shows your road.", "implicit": true])
                try await session.send(["diagnostics": ["authorizationRequestInProgress": true]])
                let (updates, _) = try await script.accept("Subscribe")
                try await updates.send(["authorizationRequestInProgress": true])
                #expect(try await reader?.next()?.authorizationRequestInProgress == true)
                reader = nil
                try await session.waitForClose()
                try await updates.waitForClose()
            }
            #expect(warnings.all.isEmpty)
        }

        @Test func `a missing usage description is named once, when the user is asked`() async throws {
            let warnings = Warnings()
            try await withTexts([:], warnings) { script in
                let reader = Reader(CLLocationUpdate.liveUpdates())
                let (updates, _) = try await script.accept("Subscribe")
                try await updates.send(["authorizationRequestInProgress": true])
                _ = try await reader.next()
                let session = CLServiceSession(authorization: .always)
                let (declared, _) = try await script.accept("Declare")
                try await declared.send(["diagnostics": ["authorizationRequestInProgress": true]])
                _ = try await Reader(session.diagnostics).next()
                session.invalidate()
            }
            #expect(warnings.all.count == 1 && warnings.all[0].contains("NSLocationWhenInUseUsageDescription"))
        }

        @Test func `a text for always is declared with a session that requires it`() async throws {
            let texts = [
                "NSLocationAlwaysAndWhenInUseUsageDescription": String(repeating: "ß", count: 200),
                "NSLocationWhenInUseUsageDescription": "Shows your road.",
            ]
            try await withTexts(texts, Warnings()) { script in
                let session = CLServiceSession(authorization: .always)
                let (connection, call) = try await script.accept("Declare")
                #expect(call.parameters["usageDescription"] == .string(String(repeating: "ß", count: 127)))
                try await connection.send(["diagnostics": [:]])
                session.invalidate()
                // The daemon is told after the connection has ended.
                try await connection.waitForClose()
                _ = try await script.accept("EndGrace")
            }
        }

        @Test func `31: a purpose without full accuracy is named in a warning`() async throws {
            let script = try Script()
            let warnings = Warnings()
            try await withModule(at: script.service.path) {
                let session = DeveloperWarning.$receiverOfTest.withValue(warnings.add) {
                    CLServiceSession(authorization: .whenInUse, fullAccuracyPurposeKey: "navigation")
                }
                let (connection, call) = try await script.accept("Declare")
                #expect(call.parameters == ["requirement": "whenInUse", "purpose": "navigation"])
                try await connection.send(["diagnostics": ["fullAccuracyDenied": true]])
                let first = try await Reader(session.diagnostics).next()
                #expect(first?.fullAccuracyDenied == true && first?.authorizationDenied == false)
                try await eventually("a warning") { warnings.all.first?.contains("navigation") == true }
                session.invalidate()
            }
        }
    }
}
