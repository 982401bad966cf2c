import CoreLocation

/// The part of the interface that calls the daemon. It is compiled and not run.
enum LiveSignatures {
    static func updates() async throws {
        let updates: CLLocationUpdate.Updates = CLLocationUpdate.liveUpdates(.fitness)
        for try await update in updates {
            let location: CLLocation? = update.location
            let flags: [Bool] = [
                update.stationary, update.isStationary, update.authorizationDenied, update.authorizationDeniedGlobally,
                update.authorizationRestricted, update.authorizationRequestInProgress, update.insufficientlyInUse,
                update.locationUnavailable, update.accuracyLimited, update.serviceSessionRequired,
            ]
            if location != nil, flags.contains(true) { break }
        }
        var iterator: CLLocationUpdate.Updates.Iterator = CLLocationUpdate.liveUpdates().makeAsyncIterator()
        let first: CLLocationUpdate? = try await iterator.next()
        _ = first
        _ = try await CLLocationUpdate.liveUpdates().first { ($0.location?.speed ?? 0) > 10 }
        switch CLLocationUpdate.LiveConfiguration.default {
        case .default, .automotiveNavigation, .otherNavigation, .fitness, .airborne: break
        @unknown default: break
        }
    }

    static func monitor() async throws {
        let monitor = await CLMonitor("Places")
        let circle = CLMonitor.CircularGeographicCondition(
            center: CLLocationCoordinate2D(latitude: 1, longitude: 2), radius: 100)
        await monitor.add(circle, identifier: "one")
        await monitor.add(circle, identifier: "two", assuming: .unsatisfied)
        await monitor.remove("two")
        let identifiers: [String] = await monitor.identifiers
        for identifier in identifiers {
            guard let record: CLMonitor.Record = await monitor.record(for: identifier) else { continue }
            let condition: any CLCondition = record.condition
            let event: CLMonitor.Event = record.lastEvent
            print((condition as? CLMonitor.CircularGeographicCondition)?.radius ?? 0, event.state, event.date)
        }
        let events: CLMonitor.Events = monitor.events
        for try await event in events {
            let refinement: (any CLCondition)? = event.refinement
            let flags: [Bool] = [
                event.authorizationDenied, event.authorizationDeniedGlobally, event.authorizationRestricted,
                event.authorizationRequestInProgress, event.insufficientlyInUse, event.accuracyLimited,
                event.conditionUnsupported, event.conditionLimitExceeded, event.persistenceUnavailable,
                event.serviceSessionRequired,
            ]
            print(event.identifier, refinement ?? circle, flags)
            switch event.state {
            case .satisfied: break
            case .unsatisfied: break
            case .unknown: break
            case .unmonitored: break
            @unknown default: break
            }
        }
    }

    /// The methods of a monitor are not asynchronous in themselves.
    static func inside(_ monitor: isolated CLMonitor, _ condition: any CLCondition) {
        monitor.add(condition, identifier: "x")
        monitor.add(condition, identifier: "x", assuming: .satisfied)
        monitor.remove("x")
        print(monitor.identifiers, monitor.record(for: "x")?.lastEvent.identifier ?? "")
    }

    static func sessions() async throws {
        let session: CLServiceSession = CLServiceSession(authorization: .whenInUse)
        let purpose = CLServiceSession(authorization: .always, fullAccuracyPurposeKey: "navigation")
        for try await diagnostic in session.diagnostics {
            let flags: [Bool] = [
                diagnostic.authorizationDenied, diagnostic.authorizationDeniedGlobally,
                diagnostic.authorizationRestricted, diagnostic.insufficientlyInUse, diagnostic.serviceSessionRequired,
                diagnostic.fullAccuracyDenied, diagnostic.alwaysAuthorizationDenied,
                diagnostic.authorizationRequestInProgress,
            ]
            if !flags.contains(true) { break }
        }
        session.invalidate()
        purpose.invalidate()
        var background: CLBackgroundActivitySession? = CLBackgroundActivitySession()
        if let background {
            for try await diagnostic in background.diagnostics {
                let flags: [Bool] = [
                    diagnostic.authorizationDenied, diagnostic.authorizationDeniedGlobally,
                    diagnostic.authorizationRestricted, diagnostic.insufficientlyInUse,
                    diagnostic.serviceSessionRequired, diagnostic.authorizationRequestInProgress,
                ]
                if !flags.contains(true) { break }
            }
        }
        background?.invalidate()
        background = nil
        switch CLServiceSession.AuthorizationRequirement.none {
        case .none, .whenInUse, .always: break
        @unknown default: break
        }
    }

    static func geocoder(_ location: CLLocation, _ region: CLRegion?) async throws {
        let geocoder = CLGeocoder()
        var places: [CLPlacemark] = try await geocoder.reverseGeocodeLocation(location)
        places += try await geocoder.reverseGeocodeLocation(location, preferredLocale: Locale(identifier: "de"))
        places += try await geocoder.geocodeAddressString("Delft")
        places += try await geocoder.geocodeAddressString("Delft", in: region)
        places += try await geocoder.geocodeAddressString("Delft", in: region, preferredLocale: nil)
        if geocoder.isGeocoding { geocoder.cancelGeocode() }
        for place in places {
            let texts: [String?] = [
                place.name, place.thoroughfare, place.subThoroughfare, place.locality, place.subLocality,
                place.administrativeArea, place.subAdministrativeArea, place.postalCode, place.isoCountryCode,
                place.country, place.inlandWater, place.ocean,
            ]
            let rest: (CLLocation?, CLRegion?, TimeZone?, [String]?) = (
                place.location, place.region, place.timeZone, place.areasOfInterest
            )
            print(texts, rest, CLPlacemark(placemark: place))
        }
    }

    static func geocoderWithHandlers(_ location: CLLocation) {
        let handler: CLGeocodeCompletionHandler = { placemarks, error in print(placemarks ?? [], error ?? "") }
        CLGeocoder().reverseGeocodeLocation(location, completionHandler: handler)
        CLGeocoder().reverseGeocodeLocation(location, preferredLocale: nil, completionHandler: handler)
        CLGeocoder().geocodeAddressString("Delft", completionHandler: handler)
        CLGeocoder().geocodeAddressString("Delft", in: nil, completionHandler: handler)
        CLGeocoder().geocodeAddressString("Delft", in: nil, preferredLocale: nil, completionHandler: handler)
        CLGeocoder().reverseGeocodeLocation(location) { placemarks, error in
            guard error == nil, let place = placemarks?.first else { return }
            print(place.locality ?? "")
        }
    }

    static func manager(_ manager: CLLocationManager, _ region: CLRegion, _ constraint: CLBeaconIdentityConstraint)
        async throws
    {
        let classFlags: [Bool] = [
            CLLocationManager.locationServicesEnabled(), CLLocationManager.headingAvailable(),
            CLLocationManager.significantLocationChangeMonitoringAvailable(), CLLocationManager.isRangingAvailable(),
            CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self),
            CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self),
        ]
        print(classFlags)
        manager.delegate = nil
        manager.activityType = .fitness
        manager.distanceFilter = 10
        manager.desiredAccuracy = kCLLocationAccuracyHundredMeters
        manager.pausesLocationUpdatesAutomatically = false
        manager.allowsBackgroundLocationUpdates = true
        manager.showsBackgroundLocationIndicator = true
        manager.headingFilter = kCLHeadingFilterNone
        manager.headingOrientation = .landscapeLeft
        let location: CLLocation? = manager.location
        let heading: CLHeading? = manager.heading
        let largest: CLLocationDistance = manager.maximumRegionMonitoringDistance
        let regions: Set<CLRegion> = manager.monitoredRegions
        let ranged: Set<CLBeaconIdentityConstraint> = manager.rangedBeaconConstraints
        let status: CLAuthorizationStatus = manager.authorizationStatus
        let accuracy: CLAccuracyAuthorization = manager.accuracyAuthorization
        print(location ?? 0, heading ?? 0, largest, regions, ranged, status, accuracy)
        print(manager.isAuthorizedForWidgetUpdates)
        manager.requestWhenInUseAuthorization()
        manager.requestAlwaysAuthorization()
        try await manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "navigation")
        manager.startUpdatingLocation()
        manager.stopUpdatingLocation()
        manager.requestLocation()
        manager.startUpdatingHeading()
        manager.stopUpdatingHeading()
        manager.dismissHeadingCalibrationDisplay()
        manager.startMonitoringSignificantLocationChanges()
        manager.stopMonitoringSignificantLocationChanges()
        manager.startMonitoringVisits()
        manager.stopMonitoringVisits()
        manager.startMonitoring(for: region)
        manager.stopMonitoring(for: region)
        manager.requestState(for: region)
        manager.startRangingBeacons(satisfying: constraint)
        manager.stopRangingBeacons(satisfying: constraint)
        manager.allowDeferredLocationUpdates(untilTraveled: CLLocationDistanceMax, timeout: CLTimeIntervalMax)
        manager.disallowDeferredLocationUpdates()
    }
}

/// A delegate with every method.
final class WholeDelegate: NSObject, CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {}
    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { true }
    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {}
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}
    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {}
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {}
    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {}
    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}
    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}
    func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?) {}
    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}
    func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) {}
    func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error
    ) {}
}
