import DaemonSupport
import Foundation
import SextantAPI
import Testing
import Varlink

@testable import CoreLocation

extension Behaviour {
    /// Behaviours 1 to 11 of the updates, with a scripted service.
    @Suite struct UpdateTests {
        private typealias Update = CLLocationUpdate

        /// Runs a stream of updates against a script.
        private nonisolated(nonsending) func run(
            _ configuration: Update.LiveConfiguration = .default,
            _ body: nonisolated(nonsending) (FakeService.Connection, Call, Reader<Update>) async throws -> Void
        ) async throws {
            let script = try Script()
            try await withModule(at: script.service.path) {
                let reader = Reader(Update.liveUpdates(configuration))
                let (connection, call) = try await script.accept("Subscribe")
                try await body(connection, call, reader)
            }
        }

        @Test func `1: nothing is done before the first update is requested`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path, answerTimeout: 3) {
                var iterator = Update.liveUpdates().makeAsyncIterator()
                #expect(!script.service.hasConnection)
                let reader = Reader(Update.liveUpdates())
                let (connection, _) = try await script.accept("Subscribe")
                try await connection.send(["locationUnavailable": true, "cause": "receiverLost"])
                let update = try await reader.next()
                #expect(update?.locationUnavailable == true)
                #expect(!script.service.hasConnection)
                script.service.stop()
                await #expect(throws: CLError.self) { try await iterator.next() }
            }
        }

        @Test func `2: the first update can have no location`() async throws {
            try await run { connection, _, reader in
                try await connection.send(["authorizationRequestInProgress": true])
                let first = try await reader.next()
                #expect(first?.location == nil && first?.authorizationRequestInProgress == true)
                try await connection.send(["location": location()])
                let second = try await reader.next()
                #expect(second?.location?.coordinate.latitude == 51.5)
            }
        }

        @Test func `3: a start of the receiver is held back, other causes are not`() async throws {
            try await run { connection, _, reader in
                try await connection.send(["locationUnavailable": true, "cause": "starting"])
                try await connection.send(["locationUnavailable": true, "cause": "noFix"])
                try await connection.send([
                    "locationUnavailable": true, "cause": "antennaFault", "accuracyLimited": true,
                ])
                let first = try await reader.next()
                #expect(first?.locationUnavailable == true && first?.accuracyLimited == true)
                try await connection.send(["location": location()])
                let second = try await reader.next()
                #expect(second?.location != nil && second?.locationUnavailable == false)
            }
        }

        @Test func `3: no fix is reported after 45 seconds, and at once after a fix`() throws {
            let begin = ContinuousClock.now
            func reply(_ members: [String: JSONValue]) throws -> Update {
                Update(try SubscribeReply(members.merging(["sequence": 1, "dropped": 0]) { $1 }))
            }
            let noFix = try reply(["locationUnavailable": true, "cause": "noFix"])
            var gate = UpdateGate(at: begin)
            #expect(gate.pass(noFix, at: begin + .seconds(5)) == nil)
            #expect(gate.deadline == begin + .seconds(45))
            #expect(gate.release(at: begin + .seconds(44)) == nil)
            #expect(gate.release(at: begin + .seconds(45))?.reply.cause == .noFix)
            #expect(gate.deadline == nil && gate.release(at: begin + .seconds(99)) == nil)
            #expect(gate.pass(noFix, at: begin + .seconds(50))?.reply.cause == .noFix)

            var other = UpdateGate(at: begin)
            #expect(other.pass(noFix, at: begin) == nil)
            #expect(other.pass(try reply(["location": location()]), at: begin + .seconds(1))?.location != nil)
            #expect(other.deadline == nil)
            #expect(other.pass(noFix, at: begin + .seconds(2)) != nil)
            // The daemon was started again: its receivers start too.
            #expect(
                other.pass(
                    try reply(["locationUnavailable": true, "cause": "starting"]), at: begin + .seconds(60)) == nil)
            #expect(other.deadline == nil)
        }

        @Test func `4: a denial is an element, and the same iterator continues after a grant`() async throws {
            try await run { connection, _, reader in
                try await connection.send(["authorizationDenied": true])
                let denied = try await reader.next()
                #expect(denied?.authorizationDenied == true && denied?.location == nil)
                try await connection.send(["location": location()])
                let granted = try await reader.next()
                #expect(granted?.authorizationDenied == false && granted?.location != nil)
            }
        }

        @Test func `4: an error means that no daemon answers`() async throws {
            let script = try Script()
            script.service.stop()
            try await withModule(at: script.service.path, answerTimeout: 0.2) {
                let reader = Reader(Update.liveUpdates())
                let error = await #expect(throws: CLError.self) { try await reader.next() }
                #expect(error?.code == .network)
                #expect(error?.localizedDescription.contains("SEXTANT_SOCKET") == true)
            }
        }

        @Test func `5 and 6: the stationary update has the resting place, speed 0 and course -1`() async throws {
            try await run { connection, _, reader in
                let resting = location(51.6, ["course": 90.0, "speed": 0.3])
                try await connection.send([
                    "location": resting, "stationary": true, "restingSince": "2026-03-14T09:59:00Z",
                ])
                let update = try #require(try await reader.next())
                #expect(update.stationary && update.isStationary)
                let place = try #require(update.location)
                #expect(place.coordinate.latitude == 51.6 && place.speed == 0 && place.course == -1)
                try await connection.send(["location": location(51.7), "stationary": false])
                let moving = try await reader.next()
                #expect(moving?.stationary == false && moving?.location?.speed == -1)
            }
        }

        @Test func `7: an old timestamp stays`() async throws {
            try await run { connection, _, reader in
                try await connection.send(["location": location(), "stationary": true])
                let update = try await reader.next()
                #expect(update?.location?.timestamp == ISO8601DateFormatter().date(from: "2026-03-14T10:00:00Z"))
            }
        }

        @Test func `8: first(where:) closes the connection, and two iterators are two streams`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path) {
                let updates = Update.liveUpdates()
                let first = Task { try await updates.first { $0.location != nil } }
                let (one, _) = try await script.accept("Subscribe")
                let second = Reader(updates)
                let (two, _) = try await script.accept("Subscribe")
                try await one.send(["location": location(1)])
                let found = try await first.value
                #expect(found?.location?.coordinate.latitude == 1)
                try await one.waitForClose()
                try await two.send(["location": location(2)])
                let other = try await second.next()
                #expect(other?.location?.coordinate.latitude == 2)
            }
        }

        @Test func `9: a cancelled task gets nil and no error`() async throws {
            try await run { connection, _, reader in
                reader.task.cancel()
                let end = try await reader.next()
                #expect(end == nil)
                try await connection.waitForClose()
            }
        }

        @Test func `10: a configuration sets the rate and no accuracy`() async throws {
            let all: [(Update.LiveConfiguration, String)] = [
                (.default, "default"), (.automotiveNavigation, "automotiveNavigation"),
                (.otherNavigation, "otherNavigation"), (.fitness, "fitness"), (.airborne, "airborne"),
            ]
            for (configuration, name) in all {
                try await run(configuration) { _, call, _ in
                    #expect(call.parameters == ["configuration": .string(name)])
                    #expect(call.mode == .more)
                }
            }
        }

        @Test func `11: every update of a program with reduced accuracy reports it`() async throws {
            try await run { connection, _, reader in
                for number in 1...3 {
                    try await connection.send(["location": location(Double(number)), "accuracyLimited": true])
                    let update = try await reader.next()
                    #expect(update?.accuracyLimited == true && update?.location != nil)
                }
            }
        }

        @Test func `values that are not known follow Apple's conventions`() async throws {
            try await run { connection, _, reader in
                try await connection.send([
                    "location": location(51.5, ["accuracySource": "aLaterOne", "quality": "aLaterOne"])
                ])
                let place = try #require(try await reader.next()?.location)
                #expect(place.verticalAccuracy == -1 && place.altitude == 0 && place.speed == -1 && place.course == -1)
                #expect(place.speedAccuracy == -1 && place.courseAccuracy == -1 && place.floor == nil)
                let flat: [String: JSONValue] = ["altitude": 12.0, "verticalAccuracy": 3.0, "mode": "2d"]
                try await connection.send(["location": location(51.5, flat)])
                let second = try #require(try await reader.next()?.location)
                #expect(second.verticalAccuracy == -1 && second.sourceInformation?.isSimulatedBySoftware == true)
                #expect(second.sourceInformation?.isProducedByAccessory == false)
            }
        }

        @Test func `a location without a date has the time of its epoch, and an accessory is named`() async throws {
            try await run { connection, _, reader in
                var place = location(51.5, ["accessory": true]).object ?? [:]
                place["timestamp"] = nil
                try await connection.send(["location": .object(place), "age": 3600.0])
                let update = try #require(try await reader.next()?.location)
                #expect(abs(update.timestamp.timeIntervalSinceNow + 3600) < 60)
                #expect(update.sourceInformation?.isProducedByAccessory == true)
            }
        }

        @Test func `cancellation at random moments leaves no connection and no demand`() async throws {
            try await Stage.run { stage in
                var run = LeakRun(cancellations: 100, restarts: 0)
                let seed = run.seed
                try await run.run(with: stage.daemon) { _ in
                    Task {
                        for try await update in CLLocationUpdate.liveUpdates() where update.stationary { break }
                    }
                }
                try await eventually("no consumer, seed \(seed)") {
                    try await stage.call("Manager.GetConsumers")["consumers"]?.array?.isEmpty == true
                }
                try await eventually("one connection, seed \(seed)") {
                    try await stage.call("Manager.GetStatus")["status"]?["connections"] == 1
                }
            }
        }

        @Test func `a restart of the daemon is a gap in the updates`() async throws {
            try await Stage.run { stage in
                let reader = Reader(CLLocationUpdate.liveUpdates(.automotiveNavigation))
                try stage.send()
                let first = try await reader.next()
                #expect(first?.location != nil)
                try stage.restart(at: Places.origin)
                var update = try await reader.next()
                while update.map({ ($0.location?.coordinate.longitude ?? 0) > -0.09 }) ?? false {
                    update = try await reader.next()
                }
                #expect(update?.location.map { abs($0.coordinate.longitude + 0.1) < 0.001 } == true)
            }
        }
    }
}
