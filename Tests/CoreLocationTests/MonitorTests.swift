import DaemonSupport
import Foundation
import Testing
import Varlink
import VarlinkClient

@testable import CoreLocation

extension Behaviour {
    /// Behaviours 12 to 22 of monitors: with the real daemon, and with a scripted service for
    /// states that the daemon cannot be brought into.
    @Suite struct MonitorTests {
        @Test func `12: a monitor without a daemon exists, and its events throw`() async throws {
            let script = try Script()
            script.service.stop()
            try await withModule(at: script.service.path, answerTimeout: 0) {
                let monitor = await CLMonitor("places")
                await monitor.add(circle(), identifier: "home", assuming: .unsatisfied)
                let record = await monitor.record(for: "home")
                #expect(record?.lastEvent.state == .unsatisfied && record?.lastEvent.persistenceUnavailable == true)
                #expect(await monitor.identifiers == ["home"])
                let reader = Reader(monitor.events)
                let notice = try await reader.next()
                #expect(notice?.persistenceUnavailable == true)
                let error = await #expect(throws: CLError.self) { try await reader.next() }
                #expect(error?.code == .network)
            }
        }

        #if os(Linux)
            @Test func `12: a second monitor with the name of another one ends the process`() async throws {
                let result = await #expect(
                    processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]
                ) {
                    let first = await CLMonitor("places")
                    let second = await CLMonitor("places")
                    print(first, second)
                }
                let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
                #expect(text.contains("a CLMonitor with the name “places” already exists"))
            }
        #endif

        #if os(Linux)
            @Test func `12: a name is free as soon as the loop of a cancelled task has released its monitor`() async {
                await #expect(processExitsWith: .success) {
                    for _ in 0..<5 {
                        let monitor = await CLMonitor("again")
                        let task = Task { for try await _ in monitor.events {} }
                        await Task.yield()
                        task.cancel()
                    }
                }
            }
        #endif

        @Test func `12: a name is free after its monitor was released`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path) {
                for _ in 0..<3 { _ = await CLMonitor("again") }
            }
        }

        @Test func `12: events throw while another process has the monitor open, and the next call retries`()
            async throws
        {
            let script = try Script()
            try await withModule(at: script.service.path) {
                let monitor = await CLMonitor("a b")
                let first = Reader(monitor.events)
                var held = try await refuseOpen(script, process: 1)
                let error = await #expect(throws: CLError.self) { try await first.next() }
                #expect(error?.code == .regionMonitoringFailure)
                // An iterator that this process has just dropped is not reported.
                let second = Reader(monitor.events)
                held += try await refuseOpen(script, process: Int64(getpid()))
                var opened: Call?
                while opened?.member != "Open" {
                    let connection = try await script.service.accept()
                    opened = try await connection.call()
                    held.append(connection)
                }
                #expect(opened?.parameters == ["name": "a_20b", "latestOnly": true])
                second.task.cancel()
            }
        }

        /// Answers the calls of an iterator until `Open`, which is refused. Calls of an earlier
        /// iterator, which has closed their connection, may still wait before them.
        private nonisolated(nonsending) func refuseOpen(
            _ script: Script, process: Int64
        ) async throws -> [FakeService.Connection] {
            var held: [FakeService.Connection] = []
            while true {
                let connection = try await script.service.accept()
                let call = try await connection.call()
                held.append(connection)
                guard call.member == "Open" else {
                    try? await connection.send(["diagnostics": [:]])
                    continue
                }
                try await connection.refuse(
                    "io.sextant.Monitor.MonitorInUse", ["name": "a_20b", "process": .int(process)])
                return held
            }
        }

        @Test func `13: the first determination is an event unless it was assumed`() async throws {
            try await Stage.run { stage in
                let monitor = await CLMonitor("places")
                await monitor.add(circle(), identifier: "assumed", assuming: .unsatisfied)
                await monitor.add(circle(), identifier: "open")
                await monitor.add(circle(), identifier: "wrong", assuming: .satisfied)
                let reader = Reader(monitor.events)
                try stage.send()
                var events: [String: CLMonitor.Event.State] = [:]
                while events.count < 2 {
                    let event = try #require(try await reader.next())
                    events[event.identifier] = event.state
                }
                #expect(events == ["open": .unsatisfied, "wrong": .unsatisfied])
            }
        }

        @Test func `14: of several pending events of a condition only the newest is delivered`() async throws {
            try await Stage.run { stage in
                let monitor = await CLMonitor("places")
                await monitor.add(circle(), identifier: "home", assuming: .unsatisfied)
                try stage.send()
                try await waitForState("unsatisfied", stage)
                try stage.restart(at: Places.origin)
                try await waitForState("satisfied", stage)
                try stage.restart(at: Stage.away)
                try await waitForState("unsatisfied", stage)
                let reader = Reader(monitor.events)
                let event = try await reader.next()
                #expect(event?.state == .unsatisfied)
                try await eventually("no pending event") {
                    try await record(stage)?["isMorePending"] == false
                }
            }
        }

        private nonisolated(nonsending) func record(_ stage: Stage) async throws -> JSONValue? {
            try await stage.call("Monitor.GetRecord", ["name": "places", "identifier": "home"])["record"]
        }

        private nonisolated(nonsending) func waitForState(_ state: JSONValue, _ stage: Stage) async throws {
            try await eventually("the state \(state)") { try await record(stage)?["state"] == state }
        }

        @Test func `15: the record has the previous event until the next one is requested`() async throws {
            try await Stage.run { stage in
                let monitor = await CLMonitor("places")
                await monitor.add(circle(), identifier: "home")
                var iterator = monitor.events.makeAsyncIterator()
                try stage.send()
                let first = try await iterator.next()
                #expect(first?.state == .unsatisfied)
                let before = await monitor.record(for: "home")
                #expect(before?.lastEvent.state == .unknown)
                try stage.move(to: Places.origin)
                try stage.send(10)
                let second = try await iterator.next()
                #expect(second?.state == .satisfied)
                let after = await monitor.record(for: "home")
                #expect(after?.lastEvent.state == .unsatisfied && after?.lastEvent.date == first?.date)

                // The task ends while it handles the event: it comes again.
                var again = monitor.events.makeAsyncIterator()
                iterator = again
                let repeated = try await again.next()
                #expect(repeated?.state == .satisfied && repeated?.date == second?.date)
            }
        }

        @Test func `16 and 19: an identical condition keeps its state, and radii are kept`() async throws {
            try await Stage.run { stage in
                let monitor = await CLMonitor("places")
                await monitor.add(circle(radius: 5), identifier: "home", assuming: .unsatisfied)
                try stage.send()
                try await waitForState("unsatisfied", stage)
                await monitor.add(circle(radius: 5), identifier: "home", assuming: .unsatisfied)
                let kept = try await record(stage)?["state"]
                #expect(kept == "unsatisfied")
                let condition = await monitor.record(for: "home")?.condition
                #expect((condition as? CLMonitor.CircularGeographicCondition)?.radius == 5)
                await monitor.remove("home")
                #expect(await monitor.identifiers.isEmpty)
                #expect(await monitor.record(for: "home") == nil)
            }
        }

        @Test func `17: dwelt is dropped, retracted has the old state, expired is unmonitored`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path) {
                let monitor = await CLMonitor("places")
                let events = [
                    event(1, "dwelt", "satisfied"), event(2, "retracted", "unsatisfied"),
                    event(3, "expired", "unmonitored"),
                ]
                let reader = Reader(monitor.events)
                // The session, the monitor, and an acknowledgement of each event.
                let connections = try await serve(script, events, calls: 5)
                let retracted = try await reader.next()
                #expect(retracted?.state == .unsatisfied)
                let expired = try await reader.next()
                #expect(expired?.state == .unmonitored)
                withExtendedLifetime(connections) {}
            }
        }

        private func event(_ id: Int64, _ kind: String, _ state: String) -> JSONValue {
            [
                "id": .int(id), "identifier": "home", "kind": .string(kind), "state": .string(state),
                "recorded": "2026-03-14T10:00:00.000Z", "folded": 0,
            ]
        }

        /// Answers calls of a monitor, with these events of `Open`.
        private nonisolated(nonsending) func serve(
            _ script: Script, _ events: [JSONValue], calls: Int
        ) async throws -> [FakeService.Connection] {
            var held: [FakeService.Connection] = []
            for _ in 0..<calls {
                let connection = try await script.service.accept()
                let call = try await connection.call()
                held.append(connection)
                switch call.member {
                case "Open":
                    try await connection.send(openMonitor())
                    for event in events { try await connection.send(["event": event]) }
                case "Declare": try await connection.send(["diagnostics": [:]])
                default: try await connection.send(Reply(parameters: ["acknowledged": 1]))
                }
            }
            return held
        }

        @Test func `18: a condition beyond the limit is flagged, and monitored when there is space`() async throws {
            try await Stage.run("[monitors]\nmax_conditions_per_program = 1\n") { stage in
                let monitor = await CLMonitor("places")
                await monitor.add(circle(), identifier: "first", assuming: .unsatisfied)
                await monitor.add(circle(), identifier: "home")
                let flagged = await monitor.record(for: "home")?.lastEvent
                #expect(flagged?.conditionLimitExceeded == true && flagged?.state == .unmonitored)
                let reader = Reader(monitor.events)
                let event = try await reader.next()
                #expect(event?.identifier == "home" && event?.conditionLimitExceeded == true)
                await monitor.remove("first")
                try stage.send()
                let determined = try await reader.next()
                #expect(determined?.identifier == "home" && determined?.state == .unsatisfied)
                #expect(determined?.conditionLimitExceeded == false)
            }
        }

        @Test func `18: beacons and conditions of other types are flagged as unsupported`() async throws {
            struct Own: CLCondition {}
            try await Stage.run { _ in
                let monitor = await CLMonitor("places")
                await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: UUID()), identifier: "beacon")
                await monitor.add(Own(), identifier: "own")
                await monitor.add(circle(radius: -3), identifier: "small")
                #expect(await monitor.identifiers == ["beacon", "own", "small"])
                let reader = Reader(monitor.events)
                for _ in 0..<3 {
                    let event = try await reader.next()
                    #expect(event?.conditionUnsupported == true && event?.state == .unmonitored)
                }
                // Nothing receives beacons here.
                for identifier in ["beacon", "own", "small"] {
                    let record = await monitor.record(for: identifier)
                    #expect(record?.lastEvent.conditionUnsupported == true)
                    #expect((record?.condition is CLMonitor.BeaconIdentityCondition) == (identifier == "beacon"))
                }
            }
        }

        @Test func `an event of a condition on beacons names the beacon`() async throws {
            try await Stage.run { stage in
                let uuid = try #require(UUID(uuidString: "F7826DA6-4FA4-4E98-8024-BC5B71E0893E"))
                let monitor = await CLMonitor("places")
                await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: uuid), identifier: "shop")
                let reader = Reader(monitor.events)
                let socket = stage.daemon.socket
                var scan = try BlockingClient.connect(path: socket).stream(
                    "io.sextant.Beacon.Scan", with: [:])
                _ = try scan.next(timeout: .seconds(20))
                let beacon: JSONValue = ["uuid": .string(uuid.uuidString), "major": 1, "minor": 2]
                let sighting: JSONValue = ["beacon": beacon, "power": -59, "rssi": -60, "count": 3]
                let report: JSONValue = ["sightings": [sighting], "listened": 1]
                _ = try BlockingClient.connect(path: socket).call(
                    "io.sextant.Beacon.Report", with: report)
                let event = try await reader.next()
                #expect(event?.identifier == "shop" && event?.state == .satisfied)
                let seen = try #require(event?.refinement as? CLMonitor.BeaconIdentityCondition)
                #expect(seen.uuid == uuid && seen.major == 1 && seen.minor == 2)
                // The adapter goes and comes back while the beacon stays: the state was kept.
                let problem: JSONValue = ["sightings": [], "listened": 0, "problem": "the adapter is off"]
                for (report, state) in [(problem, CLMonitor.Event.State.unmonitored), (report, .satisfied)] {
                    _ = try BlockingClient.connect(path: socket).call(
                        "io.sextant.Beacon.Report", with: report)
                    let event = try await reader.next()
                    #expect(event?.state == state && event?.conditionUnsupported == (state == .unmonitored))
                }
                withExtendedLifetime(scan) {}
            }
        }

        @Test func `20: conditions persist, and events come when the name is opened again`() async throws {
            try await Stage.run { stage in
                do {
                    let monitor = await CLMonitor("places")
                    await monitor.add(circle(), identifier: "home", assuming: .unsatisfied)
                }
                try stage.send()
                try await waitForState("unsatisfied", stage)
                try stage.restart(at: Places.origin)
                try await waitForState("satisfied", stage)
                let monitor = await CLMonitor("places")
                #expect(await monitor.identifiers == ["home"])
                let event = try await Reader(monitor.events).next()
                #expect(event?.identifier == "home" && event?.state == .satisfied)
            }
        }

        @Test func `21: a condition can be cast, and events need no await`() async throws {
            try await Stage.run { _ in
                let monitor = await CLMonitor("places")
                let events = monitor.events
                await monitor.add(circle(radius: 30), identifier: "home")
                let record = try #require(await monitor.record(for: "home"))
                let condition = try #require(record.condition as? CLMonitor.CircularGeographicCondition)
                #expect(condition.radius == 30 && condition.center.latitude == Places.origin.latitude)
                withExtendedLifetime(events) {}
            }
        }

        @Test func `22: a denial is reported without a crossing, and by the record at once`() async throws {
            try await Stage.run { stage in
                let monitor = await CLMonitor("places")
                await monitor.add(circle(), identifier: "home", assuming: .unsatisfied)
                let reader = Reader(monitor.events)
                try stage.send()
                try await waitForState("unsatisfied", stage)
                try await stage.grant("denied")
                let event = try await reader.next()
                #expect(event?.identifier == "home" && event?.authorizationDenied == true)
                let record = await monitor.record(for: "home")
                #expect(record?.lastEvent.authorizationDenied == true)
                try await stage.grant("always")
                let granted = await monitor.record(for: "home")
                #expect(granted?.lastEvent.authorizationDenied == false)
            }
        }

        @Test func `names are written reversibly on the socket`() {
            let names = [
                "places": "places", "my places": "my_20places", "_x": "0__5Fx", "": "0_", "-a.b": "0__2Da.b",
                "é": "0__C3_A9",
            ]
            for (name, wire) in names { #expect(HeldMonitorName.wireName(of: name) == wire) }
            let long = HeldMonitorName.wireName(of: String(repeating: "a", count: 200))
            #expect(long.utf8.count == 118 && long != HeldMonitorName.wireName(of: String(repeating: "a", count: 201)))
        }
    }
}
