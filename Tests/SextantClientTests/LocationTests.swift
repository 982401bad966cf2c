import Chronology
import DaemonSupport
import Glibc
import TestSupport
import Testing

@testable import SextantClient

@Suite(.serialized) struct LocationTests {
    /// Runs `body` with a daemon that has one receiver.
    private nonisolated(nonsending) func withReceiver(
        _ configuration: String = "[receivers]\ndiscover = false\n",
        _ body: nonisolated(nonsending) (TestDaemon, VirtualPort, SextantClient.Client) async throws -> Void
    ) async throws {
        let scratch = try Scratch()
        let port = try VirtualPort(scratch("gps"))
        try await TestDaemon.serve(devices: [port.link], configuration: configuration, scratch: scratch) { daemon in
            try daemon.waitForReceiver("detectingBaudRate", "silent")
            try await body(daemon, port, SextantClient.Client(socket: daemon.socket))
        }
    }

    @Test func `a loop gets the location and continues after a restart`() async throws {
        try await withReceiver { daemon, port, client in
            var drive = Drive()
            var restarts = 0
            var times: [UTCTime] = []
            try port.send(drive.next(2))
            for try await update in client.locations(.automotiveNavigation) {
                guard let location = update.location else { continue }
                #expect(location.latitude >= 51 && location.receiver == "gps" && location.mode == .threeD)
                #expect(location.horizontalAccuracy > 0 && location.accuracySource == .hdop)
                times += location.timestamp.map { [$0] } ?? []
                if restarts == 3 { break }
                restarts += 1
                daemon.kill()
                try daemon.startAgain()
                try daemon.waitForReceiver("detectingBaudRate", "silent")
                try port.send(drive.next(3))
            }
            #expect(restarts == 3 && times.count > 3)
            #expect(times == times.sorted(), "the time does not go back")
            try await eventually("no request") { try await client.consumers().consumers.isEmpty }
        }
    }

    @Test func `the location is returned once`() async throws {
        try await withReceiver { daemon, port, client in
            await #expect(throws: SextantError.self) { try await client.location(timeout: .milliseconds(50)) }
            var drive = Drive()
            let waiting = Task { try await client.location(timeout: .seconds(60)) }
            try await eventually("a request") { try await client.consumers().consumers.count == 1 }
            let consumer = try #require(try await client.consumers().consumers.first)
            #expect(consumer.purpose == .oneShot && consumer.uid == Int(getuid()))
            try port.send(drive.next(3))
            let recent = try await waiting.value
            #expect(recent.location.latitude >= 51 && recent.age >= 0 && recent.age < 20)
            let again = try await client.location(maximumAge: .seconds(60))
            #expect(again.location.latitude >= 51)
        }
    }

    @Test func `waiting for what never comes ends`() async throws {
        try await withReceiver { daemon, port, client in
            var drive = Drive()
            try port.send(drive.next(3))
            let updates = client.locations(.automotiveNavigation)
            let located = try await updates.first(within: .seconds(60)) { $0.location != nil }
            #expect(located?.location != nil)
            let precise = try await updates.first(within: .milliseconds(50)) {
                $0.location.map { $0.horizontalAccuracy < 0.001 } ?? false
            }
            #expect(precise == nil)
            await #expect(throws: SextantError.noSuchReceiver("other", known: ["gps"])) {
                _ = try await client.locations(receiver: "other").first(within: .seconds(60)) { _ in true }
            }
            try await eventually("no request") { try await client.consumers().consumers.isEmpty }
        }
    }

    @Test func `errors have their parameters`() async throws {
        try await withReceiver { daemon, port, client in
            await #expect(throws: SextantError.noSuchReceiver("other", known: ["gps"])) {
                _ = try await client.location(receiver: "other")
            }
            await #expect(throws: SextantError.noSuchReceiver("other", known: ["gps"])) {
                for try await _ in client.locations(receiver: "other") {}
            }
            await #expect(throws: SextantError.self) {
                for try await _ in client.locations(distanceFilter: -1) {}
            }
            await #expect(throws: SextantError.self, "a number that JSON does not have") {
                for try await _ in client.locations(distanceFilter: .nan) {}
            }
        }
    }

    @Test func `a sequence that is dropped or cancelled leaves no request`() async throws {
        try await withReceiver { daemon, port, client in
            let first = try await client.locations().first { _ in true }
            #expect(first?.unavailable != nil)
            let waiting = Task {
                var count = 0
                for try await _ in client.locations(.fitness, minimumInterval: .seconds(2)) { count += 1 }
                return count
            }
            try await eventually("a stream") {
                try await client.consumers().consumers.contains { $0.purpose == .fitness && $0.interval == 2 }
            }
            waiting.cancel()
            #expect(try await waiting.value <= 1, "cancellation ends the loop without an error")
            try await eventually("no request") { try await client.consumers().consumers.isEmpty }
        }
    }

    @Test func `each update of a batch arrives`() async throws {
        try await withReceiver { daemon, port, client in
            var drive = Drive(hdop: 0.8)
            var iterator = client.locations(.automotiveNavigation, maximumDelay: .seconds(3600)).makeAsyncIterator()
            _ = try await iterator.next()
            // Held updates are sent before the one that reports the loss of the receiver.
            try port.send(drive.next(40))
            try await eventually("40 epochs") {
                try await client.receivers().receivers.first?.counts.fixes ?? 0 >= 39
            }
            port.unplug()
            var locations: [Location] = []
            while let update = try await iterator.next(), update.unavailable != .receiverLost {
                if let location = update.location { locations.append(location) }
            }
            #expect(locations.count > 10, "\(locations.count)")
            let times = locations.compactMap(\.timestamp)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test func `receivers, sky, status, power and permission are returned`() async throws {
        try await withReceiver { daemon, port, client in
            var drive = Drive()
            let stream = client.locations(.automotiveNavigation).makeAsyncIterator()
            withExtendedLifetime(stream) {}
            try port.send(drive.next(3))
            try port.send(sentence("GPGSV,1,1,01,05,41,120,38"))
            try port.send(drive.next(2))
            var changes = client.receiverChanges().makeAsyncIterator()
            #expect(try await changes.next()?.receivers.map(\.name) == ["gps"])
            let sky = try #require(try await client.sky().first { !$0.satellites.isEmpty })
            #expect(sky.receiver == "gps" && sky.satellites.first?.system == .gps)
            #expect(sky.satellites.first?.number == 5 && sky.satellites.first?.carrierToNoise == 38)
            let status = try await client.status()
            #expect(status.socket == daemon.socket && status.pid == Int(daemon.process.id))
            #expect(try await client.power(days: 1).start.joules >= 0)
            let permission = try await client.permission()
            #expect(permission.authorization == .always && permission.accuracy == .full)
            #expect(try await client.permissionChanges().first { _ in true } == permission)
            #expect(try await client.headings().first { _ in true }?.permission == [])
            #expect(try await client.usage().allSatisfy { $0.accuracy == .full })
            #expect(try await client.visits().first { _ in true } == VisitUpdate())
        }
    }

    @Test func `a session and a lease exist until they are invalidated or released`() async throws {
        let inUse = "[receivers]\ndiscover = false\n[permissions]\nin_use_without_logind = true\n"
        try await withReceiver(inUse) { daemon, port, client in
            var session: ServiceSession? = client.session(.whenInUse)
            var lease: ActivityLease? = client.keepActive()
            #expect(try await session?.nextDiagnostics() == [])
            #expect(try await lease?.nextState() == true)
            let connections = try await client.status().connections
            session?.invalidate()
            #expect(try await session?.nextDiagnostics() == nil)
            try await eventually("the end of the session") {
                try await client.status().connections == connections - 1
            }
            lease?.invalidate()
            #expect(try await lease?.nextState() == nil)
            try await eventually("the end of the lease, without a grace period") {
                try await client.consumers().leases == []
            }
            try await eventually("the end of its connections") {
                try await client.status().connections == connections - 2
            }
            (session, lease) = (client.session(.whenInUse), client.keepActive())
            #expect(try await session?.nextDiagnostics() == [])
            #expect(try await lease?.nextState() == true)
            #expect(try await client.status().connections == connections)
            (session, lease) = (nil, nil)
            try await eventually("the end of both") { try await client.status().connections == connections - 2 }
        }
    }
}
