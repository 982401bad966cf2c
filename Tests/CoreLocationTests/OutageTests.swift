import DaemonSupport
import Foundation
import SextantAPI
import Synchronization
import Testing
import Varlink

@testable import CoreLocation

extension Behaviour {
    /// Sessions, monitors and regions while no daemon answers, or while it refuses for a while.
    @Suite struct OutageTests {
        /// A delegate that notes its calls.
        private final class Recorder: NSObject, CLLocationManagerDelegate, Sendable {
            private let notes = Mutex<[String]>([])
            var calls: [String] { notes.withLock { $0 } }
            private func note(_ text: String) { notes.withLock { $0.append(text) } }

            func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
                note("enter \(region.identifier)")
            }
            func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) { note("visit") }
            func locationManager(_ manager: CLLocationManager, didUpdateHeading heading: CLHeading) {
                note("heading")
            }
            func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
                note("error \((error as? CLError)?.errorCode ?? -1)")
            }

            nonisolated(nonsending) func wait(for call: String) async throws {
                try await eventually("\(call) after \(calls)") { calls.contains(call) }
            }
        }

        private static let home: JSONValue = [
            "condition": [
                "identifier": "home", "circle": ["center": ["latitude": 51.5, "longitude": -0.1], "radius": 200.0],
            ],
            "state": "unsatisfied", "isMorePending": false, "radiusTooSmall": false, "conditionLimitExceeded": false,
            "persistenceUnavailable": false,
        ]

        private static func event(_ number: Int64) -> [String: JSONValue] {
            [
                "event": [
                    "id": .int(number), "identifier": "home", "kind": "entered", "state": "satisfied",
                    "recorded": "2026-03-14T10:00:00.000Z", "folded": 0,
                ]
            ]
        }

        /// Accepts calls until this one. Those before, of a manager or a monitor, learn that the
        /// monitor has one condition.
        private nonisolated(nonsending) func next(
            _ method: String, _ script: Script, _ held: inout [FakeService.Connection]
        ) async throws -> (FakeService.Connection, Call) {
            while true {
                let connection = try await script.service.accept()
                let call = try await connection.call()
                held.append(connection)
                if call.member == method { return (connection, call) }
                switch call.member {
                case "List": try await connection.send(Reply(parameters: ["records": [Self.home]]))
                case "GetRecord": try await connection.send(Reply(parameters: ["record": Self.home]))
                case "Declare": try await connection.send(["diagnostics": [:]])
                case "Remove": try await connection.send(Reply(parameters: ["removed": 1]))
                // A second copy of an event is acknowledged again if the first one was handled.
                case "Acknowledge": try await connection.send(Reply(parameters: ["acknowledged": 1]))
                default: continue
                }
            }
        }

        @Test func `27: a session begins when a daemon answers after its error`() async throws {
            let script = try Script()
            script.service.stop()
            try await withModule(at: script.service.path, answerTimeout: 0.02, maximumDelay: 1) {
                let session = CLServiceSession(authorization: .always)
                let error = await #expect(throws: CLError.self) { try await Reader(session.diagnostics).next() }
                #expect(error?.code == .network)
                try script.service.start()
                let (connection, call) = try await script.accept("Declare")
                #expect(call.parameters == ["requirement": "always"])
                try await connection.send(["diagnostics": ["insufficientlyInUse": true]])
                let first = try await Reader(session.diagnostics).next()
                #expect(first?.insufficientlyInUse == true)
                session.invalidate()
                try await connection.waitForClose()
            }
        }

        @Test func `28: a lease begins again when a daemon answers after a long outage`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path, answerTimeout: 0.02, maximumDelay: 1) {
                let session = CLBackgroundActivitySession()
                var held: [FakeService.Connection] = []
                for round in 0..<2 {
                    var methods: Set<String> = []
                    while methods.count < 2 {
                        let connection = try await script.service.accept()
                        let method = try await connection.call().member
                        methods.insert(method)
                        try await connection.send(method == "KeepActive" ? ["held": true] : ["diagnostics": [:]])
                        held.append(connection)
                    }
                    #expect(methods == ["Declare", "KeepActive"])
                    guard round == 0 else { break }
                    let reader = Reader(session.diagnostics)
                    _ = try await reader.next()
                    held = []
                    script.service.stop()
                    let error = await #expect(throws: CLError.self) { while try await reader.next() != nil {} }
                    #expect(error?.code == .network)
                    try script.service.start()
                }
                session.invalidate()
            }
        }

        @Test func `regions of an earlier run are opened when the daemon comes late`() async throws {
            let script = try Script()
            script.service.stop()
            try await withModule(at: script.service.path, answerTimeout: 20) {
                let (manager, recorder) = (CLLocationManager(), Recorder())
                manager.delegate = recorder
                // The first question fails.
                #expect(manager.monitoredRegions.isEmpty)
                try script.service.start()
                var held: [FakeService.Connection] = []
                let (monitor, _) = try await next("Open", script, &held)
                try await monitor.send(Self.event(7))
                let (acknowledgement, call) = try await next("Acknowledge", script, &held)
                #expect(call.parameters["events"] == [7])
                try await acknowledgement.send(Reply(parameters: ["acknowledged": 1]))
                try await recorder.wait(for: "enter home")
                manager.delegate = nil
            }
        }

        @Test func `an event of a region waits for a delegate`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path, answerTimeout: 20) {
                let manager = CLLocationManager()
                var first: Recorder? = Recorder()
                weak let released = first
                manager.delegate = first
                var held: [FakeService.Connection] = []
                let (monitor, _) = try await next("Open", script, &held)
                first = nil
                try await monitor.send(Self.event(7))
                let (lookup, _) = try await next("GetRecord", script, &held)
                try await lookup.send(Reply(parameters: ["record": Self.home]))
                try await monitor.waitForClose()
                #expect(released == nil)
                let second = Recorder()
                manager.delegate = second
                let (again, _) = try await next("Open", script, &held)
                try await again.send(Self.event(7))
                let (_, call) = try await next("Acknowledge", script, &held)
                #expect(call.parameters["events"] == [7])
                #expect(second.calls.contains("enter home"))
                manager.delegate = nil
            }
        }

        @Test func `headings and visits report nothing while the user is asked`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path, answerTimeout: 20) {
                let (manager, recorder) = (CLLocationManager(), Recorder())
                manager.delegate = recorder
                var held: [FakeService.Connection] = []
                manager.startUpdatingHeading()
                let (headings, _) = try await next("WatchHeading", script, &held)
                // The module may replace the first reply before it is read.
                manager.core.reportMissingHeading(HeadingUpdate(permission: .authorizationRequestInProgress))
                try await headings.send(["authorizationRequestInProgress": true, "detail": "the user is asked"])
                try await headings.send(["heading": ["trueHeading": 90.0, "source": "dualAntenna", "receiver": "gps"]])
                try await recorder.wait(for: "heading")
                manager.startMonitoringVisits()
                let (visits, _) = try await next("WatchVisits", script, &held)
                try await visits.send(["permissionDenied": "the user is asked"])
                let (authorization, _) = try await next("GetAuthorization", script, &held)
                try await authorization.send(
                    Reply(parameters: permission("notDetermined")))
                try await visits.send([
                    "visit": ["latitude": 1.0, "longitude": 2.0, "horizontalAccuracy": 9.0, "departed": false]
                ])
                try await recorder.wait(for: "visit")
                #expect(recorder.calls == ["heading", "visit"])
                manager.delegate = nil
            }
        }

        @Test func `18: a condition without space replaces the old one, and is sent again after a removal`()
            async throws
        {
            let script = try Script()
            try await withModule(at: script.service.path) {
                let monitor = await CLMonitor("places")
                var held: [FakeService.Connection] = []
                async let added: Void = monitor.add(circle(), identifier: "home")
                let (refused, _) = try await next("Add", script, &held)
                try await refused.refuse("io.sextant.Monitor.TooManyConditions", ["limit": 1])
                let (removal, call) = try await next("Remove", script, &held)
                #expect(call.parameters["identifiers"] == ["home"])
                try await removal.send(Reply(parameters: ["removed": 1]))
                await added
                let record = await monitor.record(for: "home")
                #expect(record?.lastEvent.conditionLimitExceeded == true && record?.lastEvent.state == .unmonitored)

                async let removed: Void = monitor.remove("other")
                let (again, second) = try await next("Add", script, &held)
                #expect(second.parameters["conditions"]?.array?.first?["identifier"] == "home")
                try await again.send(Reply(parameters: ["added": 1, "replaced": 0, "unmonitored": []]))
                await removed
            }
        }

        @Test func `an acknowledgement that failed is repeated when events can be saved again`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path) {
                let monitor = await CLMonitor("places")
                let reader = Reader(monitor.events)
                var held: [FakeService.Connection] = []
                let (open, _) = try await next("Open", script, &held)
                try await open.send(Self.event(7))
                let event = try await reader.next()
                #expect(event?.identifier == "home")
                let (failed, _) = try await next("Acknowledge", script, &held)
                try await failed.refuse("io.sextant.Monitor.PersistenceUnavailable", ["reason": "the disk is full"])
                try await open.send(openMonitor())
                let (repeated, call) = try await next("Acknowledge", script, &held)
                #expect(call.parameters["events"] == [7])
                try await repeated.send(Reply(parameters: ["acknowledged": 1]))
                reader.task.cancel()
            }
        }

        @Test func `a number that a new database uses again is a new event`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path) {
                let monitor = await CLMonitor("places")
                let reader = Reader(monitor.events)
                var held: [FakeService.Connection] = []
                for (day, count) in [(14, 2), (15, 1)] {
                    let (open, _) = try await next("Open", script, &held)
                    var event = Self.event(7)
                    event["event"] = event["event"]?.object.map { members in
                        .object(members.merging(["recorded": .string("2026-03-\(day)T10:00:00.000Z")]) { $1 })
                    }
                    // The second copy is the same event.
                    for _ in 0..<count { try await open.send(event) }
                    let read = try await reader.next()
                    #expect(read?.identifier == "home")
                    let (acknowledgement, _) = try await next("Acknowledge", script, &held)
                    try await acknowledgement.send(Reply(parameters: ["acknowledged": 1]))
                    held = []
                }
                reader.task.cancel()
            }
        }
    }
}
