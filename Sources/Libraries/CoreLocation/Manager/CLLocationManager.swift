internal import Dispatch
import Foundation
internal import SextantAPI

/// Updates for a delegate: locations, headings, regions and visits.
///
/// The delegate is called on the main queue if the manager was created on the main thread,
/// otherwise on a queue of its own. Regions are shared by all managers of the program.
open class CLLocationManager: NSObject {
    let core: ManagerCore
    private let queue: DispatchQueue

    /// Creates a manager. The thread decides where the delegate is called.
    public override init() {
        queue = Thread.isMainThread ? .main : DispatchQueue(label: "io.sextant.CoreLocation.manager")
        core = ManagerCore(queue: queue, transport: DaemonConnection.transport)
        super.init()
        core.delegates.attach(self)
    }

    deinit { core.stopAll() }

    /// The receiver of the updates, which the manager does not retain. It is called once with what
    /// the program may know after it was set.
    open var delegate: (any CLLocationManagerDelegate)? {
        get { core.delegates.delegate }
        set {
            core.delegates.delegate = newValue
            core.delegateChanged(hasDelegate: newValue != nil)
        }
    }

    // MARK: Permission

    /// Whether location is switched on. False if no daemon answers within 2 s.
    open class func locationServicesEnabled() -> Bool { ManagerCore.isLocationEnabled(of: DaemonConnection.transport) }

    /// What the program may know; `notDetermined` if no daemon answers within 2 s.
    open var authorizationStatus: CLAuthorizationStatus { core.permission().status }

    /// What the program may know, as code before iOS 14 requests it.
    open class func authorizationStatus() -> CLAuthorizationStatus { CLLocationManager().authorizationStatus }

    /// The accuracy that the program gets.
    open var accuracyAuthorization: CLAccuracyAuthorization { core.permission().accuracy }

    /// Whether widgets may know the location; the same as the program.
    open var isAuthorizedForWidgetUpdates: Bool {
        [.authorizedAlways, .authorizedWhenInUse].contains(authorizationStatus)
    }

    /// Declares that the program needs the location while it is in use. The user is asked if there
    /// is no decision.
    open func requestWhenInUseAuthorization() { core.declare(.whenInUse) }

    /// Declares that the program needs the location at any time.
    open func requestAlwaysAuthorization() { core.declare(.always) }

    /// Declares that the program needs full accuracy for a purpose while the manager exists.
    open func requestTemporaryFullAccuracyAuthorization(
        withPurposeKey purposeKey: String, completion: (((any Error)?) -> Void)? = nil
    ) {
        let completion = MainQueueCall(completion)
        Task { [core] in
            do {
                try await core.declarePurpose(purposeKey)
                completion.perform(nil)
            } catch {
                completion.perform(error)
            }
        }
    }

    /// Declares that the program needs full accuracy for a purpose while the manager exists.
    ///
    /// - Throws: a ``CLError`` with `promptDeclined` if the purpose gives none.
    open func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) async throws {
        try await core.declarePurpose(purposeKey)
    }

    // MARK: Options

    /// The purpose of the updates. It sets their rate.
    open var activityType: CLActivityType = .other { didSet { restartUpdates() } }
    /// The minimum movement in metres between two updates.
    open var distanceFilter: CLLocationDistance = kCLDistanceFilterNone { didSet { restartUpdates() } }
    /// The required accuracy in metres. Lower accuracy means fewer updates.
    open var desiredAccuracy: CLLocationAccuracy = kCLLocationAccuracyBest { didSet { restartUpdates() } }
    /// Whether updates pause while the device is stationary.
    open var pausesLocationUpdatesAutomatically = true { didSet { restartUpdates() } }
    /// Whether updates continue while the program is not in use. Without effect: hold a
    /// ``CLBackgroundActivitySession``.
    open var allowsBackgroundLocationUpdates = false
    /// Whether the user sees that the program uses location. Without effect: `sextant who` shows
    /// it.
    open var showsBackgroundLocationIndicator = false
    /// The purpose of the updates for the user. Without effect.
    open var purpose: String?

    private var request: SubscribeParameters {
        SubscribeParameters(
            activity: activityType, accuracy: desiredAccuracy, distanceFilter: distanceFilter,
            pausesWhenStationary: pausesLocationUpdatesAutomatically)
    }

    private func restartUpdates() { core.change(.updates, to: request) }

    // MARK: Locations

    /// The last location; nil if there is none. It can be old.
    open var location: CLLocation? { core.lastLocation() }

    /// Begins to call `didUpdateLocations`.
    open func startUpdatingLocation() { core.start(.updates, request) }

    /// Ends the calls of ``startUpdatingLocation()``.
    open func stopUpdatingLocation() { core.stop(.updates) }

    /// Calls `didUpdateLocations` or `didFailWithError` once.
    open func requestLocation() { core.requestLocation() }

    /// Whether significant changes are supported: they are.
    open class func significantLocationChangeMonitoringAvailable() -> Bool { true }

    /// Begins to call `didUpdateLocations` at least 500 m and 5 minutes after the last call.
    open func startMonitoringSignificantLocationChanges() {
        core.start(.significantChanges, SubscribeParameters(configuration: .default, significantChange: true))
    }

    /// Ends the calls of ``startMonitoringSignificantLocationChanges()``.
    open func stopMonitoringSignificantLocationChanges() { core.stop(.significantChanges) }

    /// Begins to call `didVisit`.
    open func startMonitoringVisits() { core.startVisits() }

    /// Ends the calls of ``startMonitoringVisits()``.
    open func stopMonitoringVisits() { core.stop(.visits) }

    /// Whether updates can be deferred: they cannot.
    open class func deferredLocationUpdatesAvailable() -> Bool { false }

    /// Calls `didFinishDeferredUpdatesWithError` with `deferredFailed`.
    open func allowDeferredLocationUpdates(untilTraveled distance: CLLocationDistance, timeout: TimeInterval) {
        let error = CLError(.deferredFailed, because: "updates are never deferred on Linux")
        core.delegates.deliver { $1.locationManager($0, didFinishDeferredUpdatesWithError: error) }
    }

    /// Without effect: updates are never deferred.
    open func disallowDeferredLocationUpdates() {}

    // MARK: Headings

    /// Whether the daemon reports headings. Only some receivers give them.
    open class func headingAvailable() -> Bool { ManagerCore.hasHeadings(of: DaemonConnection.transport) }

    /// The last heading; nil if there is none.
    open var heading: CLHeading? { core.lastHeading }
    /// The least change in degrees that calls `didUpdateHeading`.
    open var headingFilter: CLLocationDegrees = 1 {
        didSet { if core.isRunning(.headings), headingFilter != oldValue { startUpdatingHeading() } }
    }
    /// Which side of the device is its front. Without effect: an antenna has no display.
    open var headingOrientation: CLDeviceOrientation = .portrait

    /// Begins to call `didUpdateHeading`, or calls `didFailWithError` if there are no headings.
    open func startUpdatingHeading() { core.startHeadings(filter: headingFilter) }

    /// Ends the calls of ``startUpdatingHeading()``.
    open func stopUpdatingHeading() { core.stop(.headings) }

    /// Without effect: nothing is displayed.
    open func dismissHeadingCalibrationDisplay() {}

    // MARK: Regions

    /// Whether regions of this class can be monitored: circles can, beacons with a Bluetooth
    /// adapter.
    open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
        regionClass is CLCircularRegion.Type || regionClass is CLBeaconRegion.Type && isRangingAvailable()
    }

    /// The largest radius of a region in metres.
    open var maximumRegionMonitoringDistance: CLLocationDistance { 1_000_000 }

    /// The regions of all managers of the program. They persist.
    open var monitoredRegions: Set<CLRegion> { core.regions.monitored }

    /// Monitors a region until ``stopMonitoring(for:)``. It replaces one with the same identifier.
    open func startMonitoring(for region: CLRegion) { core.regions.start(region, for: core) }

    /// Ends the monitoring of the region with this identifier.
    open func stopMonitoring(for region: CLRegion) { core.regions.stop(region) }

    /// Calls `didDetermineState` with the present state of a region.
    open func requestState(for region: CLRegion) { core.regions.requestState(of: region, for: core) }

    // MARK: Beacons

    /// Whether this machine has a Bluetooth adapter.
    open class func isRangingAvailable() -> Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/bluetooth").isEmpty) == false
    }

    /// The constraints that are ranged.
    open var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> {
        Set(core.ranged.filter { $0.region == nil }.map { CLBeaconIdentityConstraint(identity: $0.identity) })
    }

    /// The beacon regions that are ranged.
    open var rangedRegions: Set<CLRegion> {
        Set(
            core.ranged.compactMap { one in
                one.region.map { CLBeaconRegion(identity: one.identity, identifier: $0) }
            })
    }

    /// Begins to call `didRange` with the beacons in range, each second while some are received, or
    /// calls `didFailRangingFor`.
    open func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
        core.startRanging(ManagerCore.Ranging(identity: constraint.identity))
    }

    /// Ends the calls of ``startRangingBeacons(satisfying:)``.
    open func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
        core.stop(.ranging(ManagerCore.Ranging(identity: constraint.identity)))
    }

    /// Begins to call `didRangeBeacons`, or calls `rangingBeaconsDidFailFor`.
    open func startRangingBeacons(in region: CLBeaconRegion) {
        core.startRanging(ManagerCore.Ranging(identity: region.identity, region: region.identifier))
    }

    /// Ends the calls of ``startRangingBeacons(in:)``.
    open func stopRangingBeacons(in region: CLBeaconRegion) {
        core.stop(.ranging(ManagerCore.Ranging(identity: region.identity, region: region.identifier)))
    }
}

/// A completion handler that is called on the main queue.
struct MainQueueCall<Result>: @unchecked Sendable {
    private let handler: ((Result) -> Void)?

    init(_ handler: ((Result) -> Void)?) {
        self.handler = handler
    }

    func perform(_ result: sending Result) {
        guard handler != nil else { return }
        let (call, result) = (self, Sent(result))
        DispatchQueue.main.async { call.handler?(result.value) }
    }

    private struct Sent: @unchecked Sendable {
        let value: Result

        init(_ value: Result) {
            self.value = value
        }
    }
}

/// The purpose of the updates of a ``CLLocationManager``. It sets their rate.
@nonexhaustive(warn)
public enum CLActivityType: Int, Sendable {
    /// Any other purpose.
    case other = 1
    /// A vehicle on roads.
    case automotiveNavigation = 2
    /// On foot.
    case fitness = 3
    /// A vehicle away from roads.
    case otherNavigation = 4
    /// In the air.
    case airborne = 5
}

/// The orientation of the device, for headings.
@nonexhaustive(warn)
public enum CLDeviceOrientation: Int32, Sendable {
    /// Not known.
    case unknown = 0
    /// Upright.
    case portrait = 1
    /// Upright, upside down.
    case portraitUpsideDown = 2
    /// On its right side.
    case landscapeLeft = 3
    /// On its left side.
    case landscapeRight = 4
    /// Flat, display up.
    case faceUp = 5
    /// Flat, display down.
    case faceDown = 6
}

/// Whether a program may know the location.
@nonexhaustive(warn)
public enum CLAuthorizationStatus: Int32, Sendable {
    /// There is no decision yet.
    case notDetermined = 0
    /// The configuration denies it.
    case restricted = 1
    /// It was denied, or location is switched off.
    case denied = 2
    /// At any time.
    case authorizedAlways = 3
    /// While the program is in use.
    case authorizedWhenInUse = 4

    /// Another name of ``authorizedAlways``.
    public static var authorized: CLAuthorizationStatus { .authorizedAlways }
}

/// The accuracy that a program gets.
@nonexhaustive(warn)
public enum CLAccuracyAuthorization: Int, Sendable {
    /// The accuracy of the receivers.
    case fullAccuracy = 0
    /// An area of a few kilometres, at most one location per 15 minutes.
    case reducedAccuracy = 1
}
