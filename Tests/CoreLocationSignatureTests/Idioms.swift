import CoreLocation

/// Forms of code that programs for iOS have in common. They are compiled and not run.
final class PlainDelegate: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private var completion: ((CLLocation?) -> Void)?

    override init() {
        super.init()
        manager.delegate = self
        manager.desiredAccuracy = kCLLocationAccuracyBest
    }

    func start(_ completion: @escaping (CLLocation?) -> Void) {
        self.completion = completion
        switch manager.authorizationStatus {
        case .notDetermined: manager.requestWhenInUseAuthorization()
        case .restricted, .denied: completion(nil)
        case .authorizedAlways, .authorizedWhenInUse: manager.requestLocation()
        @unknown default: completion(nil)
        }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        completion?(locations.last)
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: Error) {
        if let error = error as? CLError, error.code == .denied { manager.stopUpdatingLocation() }
        completion?(nil)
    }
}

/// A view model of the main actor with a delegate that is not.
@MainActor final class MainActorModel: NSObject {
    var location: CLLocation?
    var placeName = ""
    var errorText: String?
    private let manager = CLLocationManager()
    private var updates: Task<Void, any Error>?
    private var session: CLServiceSession?

    func begin() {
        manager.delegate = self
        manager.startUpdatingLocation()
        session = CLServiceSession(authorization: .whenInUse)
        updates = Task {
            for try await update in CLLocationUpdate.liveUpdates() {
                if Task.isCancelled { break }
                if let location = update.location { self.location = location }
                if #available(iOS 18.0, macOS 15.0, *) {
                    if update.authorizationDenied { self.errorText = "denied" }
                }
                if update.isStationary { self.errorText = nil }
            }
        }
    }

    func end() {
        updates?.cancel()
        session?.invalidate()
        session = nil
    }

    func lookUp(_ location: CLLocation) async {
        do {
            let placemarks = try await CLGeocoder().reverseGeocodeLocation(location)
            placeName = placemarks.first?.locality ?? ""
        } catch {
            errorText = error.localizedDescription
        }
    }

    func lookUpWithHandler(_ location: CLLocation) {
        CLGeocoder().reverseGeocodeLocation(location) { placemarks, error in
            if let error { print(error) }
            print(placemarks?.first?.name ?? "")
        }
    }
}

extension MainActorModel: CLLocationManagerDelegate {
    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        guard let last = locations.last else { return }
        Task { @MainActor in self.location = last }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        MainActor.assumeIsolated { self.errorText = error.localizedDescription }
    }

    nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        let status = manager.authorizationStatus
        Task { @MainActor in self.errorText = status == .denied ? "denied" : nil }
    }
}

/// A delegate whose conformance is isolated.
@MainActor final class PreconcurrencyModel: NSObject, @preconcurrency CLLocationManagerDelegate {
    var heading: CLLocationDirection = 0

    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        heading = newHeading.trueHeading >= 0 ? newHeading.trueHeading : newHeading.magneticHeading
    }
}

/// One location as an asynchronous function.
final class ContinuationModel: NSObject, CLLocationManagerDelegate {
    private var continuation: CheckedContinuation<CLLocation, any Error>?
    private lazy var manager: CLLocationManager = {
        let manager = CLLocationManager()
        manager.delegate = self
        return manager
    }()

    @MainActor func location() async throws -> CLLocation {
        try await withCheckedThrowingContinuation { continuation in
            self.continuation = continuation
            manager.requestLocation()
        }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        if let location = locations.first { continuation?.resume(returning: location) }
        continuation = nil
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        continuation?.resume(throwing: error)
        continuation = nil
    }
}

/// Monitoring in an actor.
actor FenceActor {
    private var monitor: CLMonitor?
    private(set) var inside: Set<String> = []

    func run(_ places: [String: CLLocationCoordinate2D]) async throws {
        let monitor = await CLMonitor("fences")
        self.monitor = monitor
        for (name, centre) in places {
            await monitor.add(
                CLMonitor.CircularGeographicCondition(center: centre, radius: 100), identifier: name,
                assuming: .unsatisfied)
        }
        for try await event in monitor.events {
            switch event.state {
            case .satisfied: inside.insert(event.identifier)
            case .unsatisfied: inside.remove(event.identifier)
            case .unknown, .unmonitored: break
            @unknown default: break
            }
        }
    }

    func state(of name: String) async -> CLMonitor.Event.State? {
        await monitor?.record(for: name)?.lastEvent.state
    }
}

/// Subclasses for tests, as programs have them.
final class FixedManager: CLLocationManager {
    override var location: CLLocation? { CLLocation(latitude: 1, longitude: 2) }
    override var authorizationStatus: CLAuthorizationStatus { .authorizedWhenInUse }
    override func requestLocation() {
        delegate?.locationManager(self, didUpdateLocations: [location].compactMap { $0 })
    }
}

/// A visit that a test makes up; CLVisit has no other initializer.
final class FixedVisit: CLVisit, @unchecked Sendable {
    private let place: CLLocationCoordinate2D
    override var coordinate: CLLocationCoordinate2D { place }
    override var arrivalDate: Date { .distantPast }

    init(at place: CLLocationCoordinate2D) {
        self.place = place
        super.init()
    }

    required init?(coder: NSCoder) { nil }
}

/// Variables that have a value before the first callback, and names from before iOS 13.
final class OlderModel {
    var current = CLLocation()
    var heading = CLHeading()
    let beacons = CLBeaconRegion(proximityUUID: UUID(), major: 1, minor: 2, identifier: "shop")

    func isNear(_ beacon: CLBeacon) -> Bool {
        beacon.proximityUUID == beacons.proximityUUID && beacon.proximity == .near
    }

    func describe(_ error: any Error) -> String {
        if (error as NSError).code == CLError.locationUnknown.rawValue { return "unknown" }
        guard let error = error as? CLError else { return error.localizedDescription }
        switch error {
        case CLError.denied: return "denied"
        default: return "\(error.code)"
        }
    }
}

/// Sequences under other types.
func movements() -> some AsyncSequence<CLLocation, any Error> {
    CLLocationUpdate.liveUpdates(.automotiveNavigation).compactMap { $0.location }
}

extension CLLocationCoordinate2D: @retroactive Equatable {
    /// Compares the two angles.
    public static func == (a: CLLocationCoordinate2D, b: CLLocationCoordinate2D) -> Bool {
        a.latitude == b.latitude && a.longitude == b.longitude
    }
}

extension CLAuthorizationStatus: @retroactive CustomStringConvertible {
    /// The raw value.
    public var description: String { "\(rawValue)" }
}

protocol LocationFetcher {
    var delegate: (any CLLocationManagerDelegate)? { get set }
    func requestLocation()
}

extension CLLocationManager: LocationFetcher {}
