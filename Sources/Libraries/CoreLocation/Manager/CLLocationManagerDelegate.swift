import Foundation

/// The receiver of the updates of a ``CLLocationManager``.
///
/// All methods are optional. The manager calls them on the main queue if it was created on the main
/// thread, otherwise on a queue of its own, one at a time. The program must run the main queue, for
/// example with `RunLoop.main.run()`, `dispatchMain()` or an asynchronous `main()`.
@preconcurrency
public protocol CLLocationManagerDelegate: NSObjectProtocol {
    /// There are new locations, the newest last.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
    /// There is a new heading.
    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)
    /// Whether the system may ask the user to calibrate the compass; never called on Linux.
    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool
    /// The state of a region is known or has changed.
    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)
    /// The device has entered a region.
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)
    /// The device has left a region.
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)
    /// There is no location or heading, see ``CLError``.
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
    /// A region cannot be monitored.
    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error)
    /// What the program may know has changed. Also called once after the delegate was set.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
    /// What the program may know has changed, for code before iOS 14. Called only by a delegate
    /// without ``locationManagerDidChangeAuthorization(_:)``.
    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)
    /// A region is monitored.
    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)
    /// Updates pause because the device is stationary.
    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)
    /// Updates continue because the device moves.
    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)
    /// Deferred updates end. Called with `deferredFailed`: updates are never deferred.
    func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?)
    /// A visit begins or ends.
    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)
    /// The beacons in range, nearest first.
    func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint)
    /// Beacons cannot be ranged.
    func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error)
    /// The beacons of a region that are in range, nearest first.
    func locationManager(_ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion)
    /// The beacons of a region cannot be ranged.
    func locationManager(
        _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error)
}

extension CLLocationManagerDelegate {
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {}
    /// Returns false.
    public func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { false }
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {}
    /// Calls ``locationManager(_:didChangeAuthorization:)``.
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        locationManager(manager, didChangeAuthorization: manager.core.delegates.reportedPermission.status)
    }
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {}
    /// Does nothing.
    public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}
    /// Does nothing.
    public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?
    ) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error
    ) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
    ) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
    ) {}
}
