import Dispatch
import Foundation
import SextantAPI
import Synchronization
import TestSupport
import Testing

@testable import CoreLocation

/// The calls that wait for a delegate whose queue is blocked.
@Suite struct DelegateQueueTests {
    private final class Recorder: NSObject, CLLocationManagerDelegate, Sendable {
        private let entries = Mutex<[String]>([])
        var calls: [String] { entries.withLock { $0 } }
        private func note(_ text: String) { entries.withLock { $0.append(text) } }

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            note("\(locations.count) locations, last \(locations.last?.coordinate.latitude ?? 0)")
        }
        func locationManager(_ manager: CLLocationManager, didUpdateHeading heading: CLHeading) {
            note("heading \(heading.trueHeading)")
        }
        func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { note("authorization") }
        func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { note("pause") }
    }

    private let serial = DispatchQueue(label: "test")
    private let queue: DelegateQueue
    private let manager = CLLocationManager()
    private let recorder = Recorder()

    init() {
        queue = DelegateQueue(serial)
        queue.attach(manager)
        queue.delegate = recorder
    }

    /// Runs `body` while the queue is blocked, and returns the calls of the delegate after it.
    private func blocked(_ body: () -> Void) -> [String] {
        serial.suspend()
        body()
        serial.resume()
        serial.sync {}
        return recorder.calls
    }

    @Test func `locations wait together, at most the newest 256`() {
        let calls = blocked {
            for number in 0..<300 { queue.deliver(CLLocation(latitude: Double(number) / 10, longitude: 0)) }
        }
        #expect(calls == ["256 locations, last 29.9"])
    }

    @Test func `the newest heading and permission wait behind any number of calls`() throws {
        let headings = try [10.0, 20].map { degrees in
            try #require(
                CLHeading(
                    Heading(
                        timestamp: "2026-03-14T10:00:00.000Z", trueHeading: degrees, headingAccuracy: 2,
                        source: .dualAntenna, receiver: "gps")))
        }
        let calls = blocked {
            for _ in 0..<300 { queue.deliver { $1.locationManagerDidPauseLocationUpdates($0) } }
            for heading in headings { queue.deliver(heading) }
            queue.deliver(ManagerCore.Permission(status: .denied))
            queue.deliver(ManagerCore.Permission(status: .authorizedAlways))
        }
        #expect(calls.filter { $0 == "pause" }.count == 256)
        #expect(calls.suffix(2) == ["heading 20.0", "authorization"])
        #expect(queue.reportedPermission.status == .authorizedAlways)
    }

    @Test func `a location without a delegate does not keep later ones from the next delegate`() {
        queue.delegate = nil
        let none = blocked { queue.deliver(CLLocation(latitude: 1, longitude: 0)) }
        #expect(none.isEmpty)
        queue.delegate = recorder
        #expect(blocked { queue.deliver(CLLocation(latitude: 2, longitude: 0)) } == ["1 locations, last 2.0"])
    }

    @Test func `a delegate may release its manager in a call that is awaited`() async {
        let own = DelegateQueue(serial)
        let holder = Mutex<CLLocationManager?>(CLLocationManager())
        if let manager = holder.withLock({ $0 }) { own.attach(manager) }
        own.delegate = recorder
        let isDelivered = await own.delivered { _, _ in holder.withLock { $0 = nil } }
        #expect(isDelivered)
        #expect(await own.delivered { _, _ in } == false)
    }
}
