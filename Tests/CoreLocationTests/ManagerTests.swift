import DaemonSupport
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing
import Varlink
import VarlinkClient

@testable import CoreLocation

extension Behaviour {
    /// The calls of a delegate: behaviours 13, 30 and 32, and the rest of the manager.
    @Suite struct ManagerTests {
        /// A delegate that writes down its calls.
        private final class Recorder: NSObject, CLLocationManagerDelegate, Sendable {
            private let entries = Mutex<[String]>([])
            private let received = Mutex<[CLLocation]>([])
            var calls: [String] { entries.withLock { $0 } }
            var locations: [CLLocation] { received.withLock { $0 } }
            private func note(_ text: String) { entries.withLock { $0.append(text) } }

            func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
                received.withLock { $0 += locations }
            }
            func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
                note("error \((error as? CLError)?.errorCode ?? -1)")
            }
            func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
                note("authorization \(status.rawValue)")
            }
            func locationManager(_ manager: CLLocationManager, didUpdateHeading heading: CLHeading) {
                note("heading \(heading.trueHeading) \(heading.magneticHeading) \(heading.headingAccuracy)")
            }
            func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
                note("start \(region.identifier)")
            }
            func locationManager(
                _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
            ) { note("failure \(region?.identifier ?? "") \((error as? CLError)?.errorCode ?? -1)") }
            func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
                note("enter \(region.identifier)")
            }
            func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
                note("exit \(region.identifier)")
            }
            func locationManager(
                _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
            ) { note("state \(state.rawValue) \(region.identifier)") }
            func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { note("pause") }
            func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) { note("resume") }
            func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
                note("visit \(visit.departureDate == .distantFuture) \(visit.arrivalDate == .distantPast)")
            }
            func locationManager(
                _ manager: CLLocationManager, didRange beacons: [CLBeacon],
                satisfying constraint: CLBeaconIdentityConstraint
            ) {
                for one in beacons { note("ranged \(one.minor) \(one.proximity.rawValue) \(one.accuracy) \(one.rssi)") }
            }
            func locationManager(
                _ manager: CLLocationManager, didFailRangingFor constraint: CLBeaconIdentityConstraint, error: any Error
            ) { note("ranging \((error as? CLError)?.errorCode ?? -1)") }

            nonisolated(nonsending) func wait(for call: String) async throws {
                try await eventually("\(call) in \(calls)") { calls.contains(call) }
            }
        }

        @Test func `30: the delegate gets its permission once after it was set, and each change`() async throws {
            try await Stage.run { stage in
                let (manager, recorder) = (CLLocationManager(), Recorder())
                manager.delegate = recorder
                try await recorder.wait(for: "authorization 3")
                try await stage.grant("denied")
                try await recorder.wait(for: "authorization 2")
                #expect(recorder.calls == ["authorization 3", "authorization 2"])
                #expect(manager.authorizationStatus == .denied && manager.accuracyAuthorization == .fullAccuracy)
                try await stage.grant("whenInUse", accuracy: "reduced")
                #expect(manager.accuracyAuthorization == .reducedAccuracy)
                #expect(CLLocationManager.locationServicesEnabled())
            }
        }

        @Test func `32: the newest location is last, and denials are errors`() async throws {
            try await Stage.run { stage in
                let (manager, recorder) = (CLLocationManager(), Recorder())
                manager.delegate = recorder
                manager.desiredAccuracy = kCLLocationAccuracyBestForNavigation
                manager.startUpdatingLocation()
                for _ in 0..<3 {
                    let count = recorder.locations.count
                    try stage.send(1)
                    try await eventually("a location") { recorder.locations.count > count }
                }
                let times = recorder.locations.map(\.timestamp)
                #expect(times == times.sorted())
                #expect(manager.location?.timestamp == times.last)
                try await stage.grant("denied")
                try await recorder.wait(for: "error 1")
                manager.stopUpdatingLocation()
            }
        }

        /// A delegate with both methods about permission, as code for several versions of iOS has.
        private final class BothMethods: NSObject, CLLocationManagerDelegate, Sendable {
            private let entries = Mutex<[String]>([])
            var calls: [String] { entries.withLock { $0 } }
            func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
                entries.withLock { $0.append("changed") }
            }
            func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
                entries.withLock { $0.append("status") }
            }
        }

        @Test func `a delegate with both methods about permission gets the newer one`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path, answerTimeout: 5) {
                let (manager, delegate) = (CLLocationManager(), BothMethods())
                manager.delegate = delegate
                let (authorization, _) = try await next("WatchAuthorization", script)
                for (status, count) in [("always", 1), ("denied", 2)] {
                    try await authorization.send(permission(status))
                    try await eventually("\(count) calls") { delegate.calls.count == count }
                }
                #expect(delegate.calls == ["changed", "changed"])
                manager.delegate = nil
            }
        }

        @Test func `a new filter of headings applies at once`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path, answerTimeout: 5) {
                let manager = CLLocationManager()
                manager.headingFilter = 5
                manager.startUpdatingHeading()
                let (first, request) = try await next("WatchHeading", script)
                #expect(request.parameters == ["headingFilter": 5])
                manager.headingFilter = kCLHeadingFilterNone
                let (_, second) = try await next("WatchHeading", script)
                #expect(second.parameters.isEmpty)
                try await first.waitForClose()
                manager.stopUpdatingHeading()
            }
        }

        @Test func `a single location is requested`() async throws {
            try await Stage.run { stage in
                let (manager, recorder) = (CLLocationManager(), Recorder())
                manager.delegate = recorder
                manager.requestLocation()
                try stage.send(2)
                try await eventually("a location") { recorder.locations.count == 1 }
                try await stage.grant("denied")
                manager.requestLocation()
                try await recorder.wait(for: "error 1")
            }
        }

        @Test func `pauses, visits and missing positions reach the delegate`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path) {
                let (manager, recorder) = (CLLocationManager(), Recorder())
                manager.delegate = recorder
                let (authorization, _) = try await next("WatchAuthorization", script)
                try await authorization.send(permission("always"))
                manager.distanceFilter = 10
                manager.desiredAccuracy = kCLLocationAccuracyHundredMeters
                manager.activityType = .fitness
                manager.startUpdatingLocation()
                let (updates, call) = try await next("Subscribe", script)
                #expect(
                    call.parameters == [
                        "configuration": "fitness", "desiredAccuracy": "hundredMetres", "distanceFilter": 10,
                    ])
                try await updates.send(["location": location(), "stationary": true])
                try await recorder.wait(for: "pause")
                try await updates.send(["location": location(), "stationary": false])
                try await recorder.wait(for: "resume")
                try await updates.send(["locationUnavailable": true, "cause": "receiverLost"])
                try await recorder.wait(for: "error 0")
                manager.startMonitoringVisits()
                let (visits, _) = try await next("WatchVisits", script)
                try await visits.send([
                    "visit": ["latitude": 1.0, "longitude": 2.0, "horizontalAccuracy": 9.0, "departed": false]
                ])
                try await recorder.wait(for: "visit true true")
                manager.startUpdatingHeading()
                let (headings, request) = try await next("WatchHeading", script)
                #expect(request.parameters == ["headingFilter": 1])
                try await headings.send(["detail": "no receiver reports a heading"])
                try await recorder.wait(for: "error 3")
                try await headings.send([
                    "heading": [
                        "trueHeading": 90.0, "headingAccuracy": 0.5, "source": "dualAntenna", "receiver": "gps",
                    ]
                ])
                try await recorder.wait(for: "heading 90.0 -1.0 0.5")
                #expect(manager.heading?.trueHeading == 90)
                let constraint = CLBeaconIdentityConstraint(uuid: UUID(), major: 1)
                manager.startRangingBeacons(satisfying: constraint)
                let (beacons, range) = try await next("Range", script)
                #expect(range.parameters == ["beacon": ["uuid": .string(constraint.uuid.uuidString), "major": 1]])
                #expect(manager.rangedBeaconConstraints == [constraint])
                try await beacons.send(["beacons": [], "problem": "there is no Bluetooth adapter"])
                try await recorder.wait(for: "ranging 16")
                try await beacons.send([
                    "beacons": [
                        [
                            "beacon": ["uuid": .string(constraint.uuid.uuidString), "major": 1, "minor": 7],
                            "zone": "near", "rssi": -64.5, "accuracy": 2.5, "timestamp": "2026-11-27T22:00:00.000Z",
                        ]
                    ]
                ])
                try await recorder.wait(for: "ranged 7 2 2.5 -65")
                manager.stopRangingBeacons(satisfying: constraint)
                #expect(manager.rangedBeaconConstraints.isEmpty)
            }
        }

        /// Accepts calls until this one. Those before are of the regions: there are none.
        private nonisolated(nonsending) func next(
            _ method: String, _ script: Script
        ) async throws -> (FakeService.Connection, Call) {
            while true {
                let connection = try await script.service.accept()
                let call = try await connection.call()
                if call.member == method { return (connection, call) }
                try await connection.send(Reply(parameters: ["records": []]))
            }
        }

        @Test func `13: the first determination of a region is no crossing`() async throws {
            try await Stage.run { stage in
                let (manager, recorder) = (CLLocationManager(), Recorder())
                manager.delegate = recorder
                let origin = CLLocationCoordinate2D(
                    latitude: Places.origin.latitude, longitude: Places.origin.longitude)
                let region = CLCircularRegion(center: origin, radius: 200, identifier: "home")
                manager.startMonitoring(for: region)
                try await recorder.wait(for: "start home")
                try stage.send()
                try await recorder.wait(for: "state 2 home")
                #expect(!recorder.calls.contains("exit home"))
                #expect(manager.monitoredRegions == [region])
                try stage.restart(at: Places.origin)
                try await recorder.wait(for: "enter home")
                try await recorder.wait(for: "state 1 home")
                func states() -> Int { recorder.calls.count { $0 == "state 1 home" } }
                let before = states()
                manager.requestState(for: region)
                try await eventually("the state that was requested") { states() == before + 1 }
                manager.stopMonitoring(for: region)
                #expect(manager.monitoredRegions.isEmpty)
                manager.startMonitoring(for: CLBeaconRegion(uuid: UUID(), identifier: "beacon"))
                try await recorder.wait(for: "failure beacon 5")
            }
        }

        @Test func `a region of beacons is entered and left`() async throws {
            try await Stage.run("[beacons]\nabsence = \"10 s\"\n") { stage in
                let (manager, recorder) = (CLLocationManager(), Recorder())
                let uuid = UUID()
                manager.delegate = recorder
                manager.startMonitoring(for: CLBeaconRegion(uuid: uuid, identifier: "shop"))
                try await recorder.wait(for: "start shop")
                let client = try BlockingClient.connect(path: stage.daemon.socket)
                var scan = try BlockingClient.connect(path: stage.daemon.socket).stream(
                    "io.sextant.Beacon.Scan", with: [:])
                _ = try scan.next(timeout: .seconds(20))
                let beacon: JSONValue = ["uuid": .string(uuid.uuidString), "major": 1, "minor": 2]
                let sighting: JSONValue = ["beacon": beacon, "power": -59, "rssi": -60, "count": 3]
                for sightings in [[], [sighting]] {
                    let report: JSONValue = ["sightings": .array(sightings), "listened": 1]
                    _ = try client.call("io.sextant.Beacon.Report", with: report)
                    try await recorder.wait(for: sightings.isEmpty ? "state 2 shop" : "enter shop")
                }
                try await recorder.wait(for: "exit shop")
                try await eventually("the state") { recorder.calls.count { $0 == "state 2 shop" } == 2 }
                withExtendedLifetime(scan) {}
            }
        }

        @Test func `events of regions wait while no manager has a delegate`() async throws {
            try await Stage.run { stage in
                let origin = CLLocationCoordinate2D(
                    latitude: Places.origin.latitude, longitude: Places.origin.longitude)
                let first = Recorder()
                var manager: CLLocationManager? = CLLocationManager()
                manager?.delegate = first
                manager?.startMonitoring(for: CLCircularRegion(center: origin, radius: 200, identifier: "home"))
                try await first.wait(for: "start home")
                try stage.send()
                try await first.wait(for: "state 2 home")
                manager = nil
                try stage.restart(at: Places.origin)
                let later = Recorder()
                let second = CLLocationManager()
                second.delegate = later
                try await later.wait(for: "enter home")
                #expect(!first.calls.contains("enter home"))
                second.delegate = nil
            }
        }
    }
}
