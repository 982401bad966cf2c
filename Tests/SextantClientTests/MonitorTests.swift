import Chronology
import DaemonSupport
import Glibc
import TestSupport
import Testing
import VarlinkClient

@testable import SextantClient

@Suite(.serialized) struct MonitorTests {
    private static let home = Places.origin
    private static let away = Places.origin.moved(north: 0, east: 4000)

    /// Runs `body` with a daemon, a receiver and an empty monitor.
    private nonisolated(nonsending) func withMonitor(
        _ body: nonisolated(nonsending) (TestDaemon, VirtualPort, Monitor) async throws -> Void
    ) async throws {
        let scratch = try Scratch()
        let port = try VirtualPort(scratch("gps"))
        let text = "[receivers]\ndiscover = false\npower = \"off\"\n"
        try await TestDaemon.serve(devices: [port.link], configuration: text, scratch: scratch) { daemon in
            let transport = Transport(
                socket: daemon.socket,
                limits: .init(firstDelay: .milliseconds(2), maximumDelay: .milliseconds(10)))
            try await body(daemon, port, SextantClient.Client(transport).monitor("places"))
        }
    }

    private func circle(_ identifier: String, at place: Places.Place, radius: Double = 200) -> Condition {
        let center = Point(latitude: place.latitude, longitude: place.longitude)
        return Condition(identifier, .circle(center: center, radius: radius))
    }

    @Test func `conditions of each shape are stored with their options`() async throws {
        try await withMonitor { daemon, port, monitor in
            let points = [(0.0, 0.0), (0.0, 0.1), (0.1, 0.1)].map { Point(latitude: $0.0, longitude: $0.1) }
            let conditions = [
                Condition(
                    "circle", .circle(center: points[0], radius: 250), assuming: .unsatisfied, dwell: .seconds(90),
                    expiry: UTCTime(rfc3339: "2099-01-01T00:00:00Z"), metadata: ["lamp": 3]),
                Condition("corridor", .corridor(points, width: 40)),
                Condition("polygon", .polygon(points, holes: [])),
            ]
            let addition = try await monitor.add(conditions)
            #expect(addition.added == 3 && addition.replaced == 0 && addition.unmonitored.isEmpty)
            let records = try await monitor.records()
            #expect(records.map(\.condition) == conditions)
            #expect(try await monitor.record(for: "circle") == records[0])
            #expect(try await monitor.client.monitors().map(\.name) == ["places"])
            #expect(try await monitor.geoJSON().count == 1)
            #expect(try await monitor.remove(["circle", "none"]) == 1)
            await #expect(throws: SextantError.noSuchCondition("circle")) { try await monitor.record(for: "circle") }
            try await monitor.delete()
            await #expect(throws: SextantError.noSuchMonitor("places")) { try await monitor.records() }
        }
    }

    @Test func `an invalid condition is refused with the reason`() async throws {
        try await withMonitor { daemon, port, monitor in
            do {
                try await monitor.add(circle("home", at: Self.home, radius: -1))
                Issue.record("no error")
            } catch let error as SextantError {
                guard case .refused(let name, let detail) = error else { throw error }
                #expect(name == "io.sextant.Monitor.InvalidCondition" && detail.contains("radius"), "\(detail)")
            }
        }
    }

    @Test func `events are acknowledged at the next request, and restarts lose none`() async throws {
        try await withMonitor { daemon, port, monitor in
            var places = Places()
            places.move(to: Self.away)
            try sendEpochs(&places, port, daemon)
            try await monitor.add(circle("home", at: Self.home))
            try port.send(places.next(3))
            var events: [Event] = []
            var iterator = monitor.events.makeAsyncIterator()
            for place in [Self.home, Self.away, Self.home, Self.away] {
                let event = try #require(try await iterator.next())
                events.append(event)
                let record = try await monitor.record(for: "home")
                #expect(record.pending?.id == event.id, "an event is not acknowledged while it is handled")
                #expect(record.lastEvent?.id == events.dropLast().last?.id)
                try restart(daemon, port, &places, at: place)
            }
            let last = try #require(try await iterator.next())
            events.append(last)
            #expect(events.map(\.kind) == [.determined, .entered, .left, .entered, .left])
            #expect(events.map(\.state) == [.unsatisfied, .satisfied, .unsatisfied, .satisfied, .unsatisfied])
            #expect(events.map(\.id) == events.map(\.id).sorted() && Set(events.map(\.id)).count == 5)
            #expect(last.location != nil && last.margin ?? 0 < -3000 && last.folded == 0)
        }
    }

    @Test func `an event whose handling was cancelled comes again`() async throws {
        try await withMonitor { daemon, port, monitor in
            var places = Places()
            places.move(to: Self.away)
            try sendEpochs(&places, port, daemon)
            try await monitor.add(circle("home", at: Self.home))
            try port.send(places.next(3))
            let handling = Task {
                var iterator = monitor.events.makeAsyncIterator()
                let event = try await iterator.next()
                withUnsafeCurrentTask { $0?.cancel() }
                #expect(try await iterator.next() == nil)
                return event
            }
            let event = try #require(try await handling.value)
            try await eventually("the end of the first iteration") { try await !monitor.client.monitors()[0].isOpen }
            let again = try await monitor.events.first { _ in true }
            #expect(again == event)
        }
    }

    @Test func `a monitor can be open once, and can be opened after that`() async throws {
        try await withMonitor { daemon, port, monitor in
            let first = Task { try await monitor.events.first { _ in true } }
            try await eventually("an open monitor") {
                try await monitor.client.monitors().first?.isOpen ?? false
            }
            var second = monitor.events.makeAsyncIterator()
            await #expect(throws: SextantError.monitorInUse("places", process: Int(getpid()))) {
                _ = try await second.next()
            }
            first.cancel()
            #expect(try await first.value == nil)
            try await eventually("a closed monitor") { try await !monitor.client.monitors()[0].isOpen }
        }
    }

    @Test func `changes are reported beside the events, and parts of a program have their own monitors`() async throws {
        try await withMonitor { daemon, port, monitor in
            var changes = monitor.changes.makeAsyncIterator()
            guard case .monitor(let state) = try await changes.next() else { throw TestFailure("no state") }
            #expect(state.name == "places" && state.conditions == 0)
            try await monitor.add(circle("home", at: Self.home))
            let part = monitor.client.monitor("places", application: "org.example.Boat")
            try await part.add([circle("pier", at: Self.home), circle("buoy", at: Self.away)])
            #expect(try await monitor.records().map(\.condition.identifier) == ["home"])
            #expect(try await part.records().map(\.condition.identifier) == ["buoy", "pier"])
            #expect(try await part.records().allSatisfy { $0.added != nil })
            var places = Places()
            try sendEpochs(&places, port, daemon)
            #expect(try await monitor.latestEvents.first { _ in true }?.identifier == "home")
        }
    }

    @Test func `the nearest conditions come first`() async throws {
        try await withMonitor { daemon, port, monitor in
            var places = Places()
            try await monitor.add([circle("near", at: Self.home, radius: 90), circle("far", at: Self.away)])
            try sendEpochs(&places, port, daemon)
            let nearest = try await monitor.nearest(5)
            #expect(nearest.neighbours.map(\.condition.identifier) == ["near", "far"])
            #expect(nearest.location?.receiver == "gps")
        }
    }

    /// Sends epochs until the daemon has the position of the receiver.
    private func sendEpochs(_ places: inout Places, _ port: VirtualPort, _ daemon: TestDaemon) throws {
        try daemon.waitForReceiver("detectingBaudRate", "silent", "sendingWithoutFix", "hasFix")
        try port.send(places.next(3))
        try daemon.waitForReceiver("hasFix")
    }

    /// Moves the receiver to a place while the daemon is down.
    private func restart(
        _ daemon: TestDaemon, _ port: VirtualPort, _ places: inout Places, at place: Places.Place
    ) throws {
        daemon.kill()
        places.move(to: place)
        try daemon.startAgain()
        try sendEpochs(&places, port, daemon)
    }
}
