import CoreLocation
import Testing

/// Names and signatures of Apple's module, as programs use them. That they compile is the test
/// (behaviour 33): the files are built in Swift 5 and in Swift 6 mode, with warnings as errors.
@Suite struct SignatureTests {
    @Test func `constants have Apple's values`() {
        let filters: [CLLocationDistance] = [kCLDistanceFilterNone, CLLocationDistanceMax]
        #expect(filters == [-1, .greatestFiniteMagnitude])
        let longest: TimeInterval = CLTimeIntervalMax
        #expect(longest == .greatestFiniteMagnitude)
        let accuracies: [CLLocationAccuracy] = [
            kCLLocationAccuracyBestForNavigation, kCLLocationAccuracyBest, kCLLocationAccuracyNearestTenMeters,
            kCLLocationAccuracyHundredMeters, kCLLocationAccuracyKilometer, kCLLocationAccuracyThreeKilometers,
        ]
        #expect(accuracies == [-2, -1, 10, 100, 1000, 3000])
        #expect(kCLLocationAccuracyReduced > kCLLocationAccuracyKilometer)
        let domain: String = kCLErrorDomain
        #expect(domain == "kCLErrorDomain")
        let scalars:
            (
                CLLocationDegrees, CLLocationSpeed, CLLocationSpeedAccuracy, CLLocationDirection,
                CLLocationDirectionAccuracy, CLBeaconMajorValue, CLBeaconMinorValue
            ) = (1, 2, 3, 4, 5, 6, 7)
        #expect(scalars.0 + scalars.1 == 3 && scalars.5 + scalars.6 == UInt16(13))
    }

    @Test func `coordinates`() {
        var coordinate = CLLocationCoordinate2D()
        coordinate.latitude = 51.5
        coordinate.longitude = -0.1
        #expect(CLLocationCoordinate2DIsValid(coordinate))
        #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
        #expect(!CLLocationCoordinate2DIsValid(CLLocationCoordinate2DMake(.nan, 0)))
        let other: CLLocationCoordinate2D = CLLocationCoordinate2DMake(1, 2)
        #expect(other.latitude == CLLocationCoordinate2D(latitude: 1, longitude: 2).latitude)
    }

    @Test func `locations`() {
        let now = Date()
        let here = CLLocationCoordinate2D(latitude: 51.5, longitude: -0.1)
        let information = CLLocationSourceInformation(softwareSimulationState: true, andExternalAccessoryState: false)
        let all = [
            CLLocation(latitude: 51.5, longitude: -0.1),
            CLLocation(coordinate: here, altitude: 1, horizontalAccuracy: 2, verticalAccuracy: 3, timestamp: now),
            CLLocation(
                coordinate: here, altitude: 1, horizontalAccuracy: 2, verticalAccuracy: 3, course: 4, speed: 5,
                timestamp: now),
            CLLocation(
                coordinate: here, altitude: 1, horizontalAccuracy: 2, verticalAccuracy: 3, course: 4,
                courseAccuracy: 6, speed: 5, speedAccuracy: 7, timestamp: now),
            CLLocation(
                coordinate: here, altitude: 1, horizontalAccuracy: 2, verticalAccuracy: 3, course: 4,
                courseAccuracy: 6, speed: 5, speedAccuracy: 7, timestamp: now, sourceInfo: information),
        ]
        for location in all {
            let point: CLLocationCoordinate2D = location.coordinate
            let floor: CLFloor? = location.floor
            #expect(point.latitude == 51.5 && floor?.level == nil)
            let distance: CLLocationDistance = location.distance(from: all[0])
            #expect(distance == 0)
        }
        let last = all[4]
        #expect(last.altitude == 1 && last.horizontalAccuracy == 2 && last.verticalAccuracy == 3)
        #expect(last.course == 4 && last.courseAccuracy == 6 && last.speed == 5 && last.speedAccuracy == 7)
        #expect(last.timestamp == now && last.ellipsoidalAltitude == 0)
        let source: CLLocationSourceInformation? = last.sourceInformation
        #expect(source?.isSimulatedBySoftware == true && source?.isProducedByAccessory == false)
    }

    @Test func `29: enumerations have Apple's raw values`() {
        let status: [CLAuthorizationStatus] = [
            .notDetermined, .restricted, .denied, .authorizedAlways, .authorizedWhenInUse,
        ]
        #expect(status.map(\.rawValue) == [Int32(0), 1, 2, 3, 4])
        #expect(CLAuthorizationStatus.authorized == .authorizedAlways)
        #expect([CLAccuracyAuthorization.fullAccuracy, .reducedAccuracy].map(\.rawValue) == [0, 1])
        let activities: [CLActivityType] = [.other, .automotiveNavigation, .fitness, .otherNavigation, .airborne]
        #expect(activities.map(\.rawValue) == [1, 2, 3, 4, 5])
        #expect([CLRegionState.unknown, .inside, .outside].map(\.rawValue) == [0, 1, 2])
        #expect([CLProximity.unknown, .immediate, .near, .far].map(\.rawValue) == [0, 1, 2, 3])
        let states: [CLMonitor.Event.State] = [.unknown, .satisfied, .unsatisfied, .unmonitored]
        #expect(states.map(\.rawValue) == [UInt(0), 1, 2, 3])
        let requirements: [CLServiceSession.AuthorizationRequirement] = [.none, .whenInUse, .always]
        #expect(requirements.map(\.rawValue) == [0, 1, 2])
        let configurations: [CLLocationUpdate.LiveConfiguration] = [
            .default, .automotiveNavigation, .otherNavigation, .fitness, .airborne,
        ]
        #expect(Set(configurations).count == 5)
        #expect(CLDeviceOrientation.portrait.rawValue == 1)
    }

    @Test func `errors bridge to NSError`() {
        let codes: [CLError.Code] = [
            .locationUnknown, .denied, .network, .headingFailure, .regionMonitoringDenied, .regionMonitoringFailure,
            .regionMonitoringSetupDelayed, .regionMonitoringResponseDelayed, .geocodeFoundNoResult,
            .geocodeFoundPartialResult, .geocodeCanceled, .deferredFailed, .deferredNotUpdatingLocation,
            .deferredAccuracyTooLow, .deferredDistanceFiltered, .deferredCanceled, .rangingUnavailable,
            .rangingFailure, .promptDeclined, .historicalLocationError,
        ]
        #expect(codes.map(\.rawValue) == Array(0...19))
        let statics: [CLError.Code] = [
            CLError.locationUnknown, CLError.denied, CLError.network, CLError.headingFailure,
            CLError.regionMonitoringDenied, CLError.regionMonitoringFailure, CLError.regionMonitoringSetupDelayed,
            CLError.regionMonitoringResponseDelayed, CLError.geocodeFoundNoResult, CLError.geocodeFoundPartialResult,
            CLError.geocodeCanceled, CLError.deferredFailed, CLError.deferredNotUpdatingLocation,
            CLError.deferredAccuracyTooLow, CLError.deferredDistanceFiltered, CLError.deferredCanceled,
            CLError.rangingUnavailable, CLError.rangingFailure, CLError.promptDeclined,
            CLError.historicalLocationError,
        ]
        #expect(statics == codes)
        do {
            throw CLError(.denied)
        } catch let error as CLError {
            #expect(error.code == .denied && error.alternateRegion == nil && error.errorUserInfo.isEmpty)
            #expect((error as NSError).domain == kCLErrorDomain && (error as NSError).code == 1)
            #expect(CLError.errorDomain == kCLErrorDomain && error.errorCode == 1)
        } catch {
            Issue.record("\(error)")
        }
        func isDenied(_ error: any Error) -> Bool {
            if case CLError.denied = error { return true }
            return false
        }
        #expect(isDenied(CLError(.denied)) && !isDenied(CLError(.network)))
        let error: any Error = CLError(.network)
        #expect((error as? CLError)?.code == .network && error._code == 2)
        #expect(CLError.Code(rawValue: 8) == .geocodeFoundNoResult)
    }

    @Test func `regions and beacons`() {
        let centre = CLLocationCoordinate2D(latitude: 51.5, longitude: -0.1)
        let region = CLCircularRegion(center: centre, radius: 20, identifier: "home")
        region.notifyOnEntry = false
        region.notifyOnExit = true
        #expect(region.contains(centre) && region.radius == 20 && region.center.latitude == 51.5)
        let general: CLRegion = region
        #expect(general.identifier == "home" && !general.notifyOnEntry && general.notifyOnExit)
        #expect(Set<CLRegion>([region, CLCircularRegion(center: centre, radius: 9, identifier: "home")]).count == 1)
        let uuid = UUID()
        let constraints = [
            CLBeaconIdentityConstraint(uuid: uuid), CLBeaconIdentityConstraint(uuid: uuid, major: 1),
            CLBeaconIdentityConstraint(uuid: uuid, major: 1, minor: 2),
        ]
        let major: [CLBeaconMajorValue?] = constraints.map(\.major)
        #expect(major == [nil, 1, 1] && constraints[2].minor == 2 && constraints[0].uuid == uuid)
        let beacons = [
            CLBeaconRegion(uuid: uuid, identifier: "a"), CLBeaconRegion(uuid: uuid, major: 1, identifier: "b"),
            CLBeaconRegion(uuid: uuid, major: 1, minor: 2, identifier: "c"),
            CLBeaconRegion(beaconIdentityConstraint: constraints[2], identifier: "d"),
        ]
        beacons[0].notifyEntryStateOnDisplay = true
        #expect(beacons[3].beaconIdentityConstraint == constraints[2] && beacons[3].uuid == uuid)
        let number: NSNumber? = beacons[1].major
        #expect(number?.intValue == 1 && beacons[2].minor == 2)
        func describe(_ beacon: CLBeacon) -> String {
            let values: (UUID, NSNumber, NSNumber, CLProximity, CLLocationAccuracy, Int, Date) = (
                beacon.uuid, beacon.major, beacon.minor, beacon.proximity, beacon.accuracy, beacon.rssi,
                beacon.timestamp
            )
            return "\(values)"
        }
        func describe(_ visit: CLVisit) -> (Date, Date, CLLocationCoordinate2D, CLLocationAccuracy) {
            (visit.arrivalDate, visit.departureDate, visit.coordinate, visit.horizontalAccuracy)
        }
        func describe(_ heading: CLHeading) -> (CLLocationDirection, CLLocationDirection, CLLocationDirection, Date) {
            (heading.magneticHeading, heading.trueHeading, heading.headingAccuracy, heading.timestamp)
        }
    }

    @Test func `conditions`() throws {
        let centre = CLLocationCoordinate2D(latitude: 51.5, longitude: -0.1)
        let circle = CLMonitor.CircularGeographicCondition(center: centre, radius: 25)
        #expect(circle.center.longitude == -0.1 && circle.radius == 25)
        let uuid = UUID()
        let beacons = [
            CLMonitor.BeaconIdentityCondition(uuid: uuid), CLMonitor.BeaconIdentityCondition(uuid: uuid, major: 1),
            CLMonitor.BeaconIdentityCondition(uuid: uuid, major: 1, minor: 2),
        ]
        #expect(beacons.map(\.major) == [nil, 1, 1] && beacons[2].minor == 2 && beacons[0].uuid == uuid)
        let conditions: [any CLCondition] = [circle] + beacons
        #expect((conditions[0] as? CLMonitor.CircularGeographicCondition)?.radius == 25)
        let copy = try JSONDecoder().decode(
            CLMonitor.CircularGeographicCondition.self, from: JSONEncoder().encode(circle))
        #expect(copy.center.latitude == 51.5)
    }

    @Test func `values are Sendable`() {
        func check<Value: Sendable>(_: Value.Type) {}
        check(CLLocation.self)
        check(CLLocationCoordinate2D.self)
        check(CLLocationUpdate.self)
        check(CLLocationUpdate.Updates.self)
        check(CLMonitor.self)
        check(CLMonitor.Event.self)
        check(CLMonitor.Record.self)
        check(CLMonitor.Events.self)
        check(CLServiceSession.self)
        check(CLServiceSession.Diagnostic.self)
        check(CLBackgroundActivitySession.self)
        check(CLError.self)
    }
}
