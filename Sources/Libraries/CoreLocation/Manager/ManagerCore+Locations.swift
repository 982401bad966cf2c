internal import Chronology
import Foundation
internal import SextantAPI
internal import Varlink
internal import VarlinkClient

extension ManagerCore {
    /// Begins updates, or changes the options of active ones.
    func start(_ activity: Activity, _ request: SubscribeParameters) {
        guard activity != .updates || note(request, isStart: true) else { return }
        run(activity) { await $0.update(request, activity) }
    }

    /// Changes the options of active updates.
    func change(_ activity: Activity, to request: SubscribeParameters) {
        guard note(request, isStart: false) else { return }
        run(activity) { await $0.update(request, activity) }
    }

    private func update(_ request: SubscribeParameters, _ activity: Activity) async {
        var isPaused = false
        do {
            for try await update in request.updates(of: transport) {
                report(update)
                // After a restart of the daemon, a location without a state ends the pause.
                let state = update.reply.stationary ?? (update.location == nil ? nil : false)
                guard let stationary = state, stationary != isPaused else { continue }
                isPaused = stationary
                delegates.deliver { manager, delegate in
                    stationary
                        ? delegate.locationManagerDidPauseLocationUpdates(manager)
                        : delegate.locationManagerDidResumeLocationUpdates(manager)
                }
            }
        } catch {
            // Another start begins them again, also one of the delegate.
            if activity == .updates { forget(request) }
            fail(error)
        }
    }

    private func report(_ update: CLLocationUpdate) {
        if let location = update.location {
            deliver(location)
        } else if update.flags.contains(.authorizationRequestInProgress) {
            // The user has not answered: there is nothing to report yet.
        } else if !update.flags.isDisjoint(with: .blocking) {
            fail(CLError(.denied, because: update.reply.detail ?? "the program may not know the location"))
        } else if update.locationUnavailable {
            fail(CLError(.locationUnknown, because: update.reply.detail ?? "there is no position now"))
        }
    }

    private func fail(_ error: any Error) {
        delegates.deliver { $1.locationManager($0, didFailWithError: error) }
    }

    /// Requests one location. A location that is at most 5 s old is enough.
    func requestLocation() {
        run(.oneLocation) { core in
            do {
                let reply = try await core.transport.call(
                    LocationMethods.getLocation, GetLocationParameters(maximumAge: 5, timeout: 30),
                    replyWithin: .seconds(35))
                core.deliver(CLLocation(reply))
            } catch is CancellationError {
                // A later request replaced this one.
            } catch {
                core.fail(CLError(reporting: error))
            }
        }
    }

    func startVisits() {
        run(.visits) { core in
            let call = core.transport.stream(LocationMethods.watchVisits, NoParameters(), delivery: .all)
            do {
                while let arrival = try await call.next() {
                    let update = try arrival.reply(to: LocationMethods.watchVisits)
                    if let visit = update.visit.map(CLVisit.init) {
                        core.delegates.deliver { $1.locationManager($0, didVisit: visit) }
                    } else if let reason = update.permissionDenied {
                        // While the user is asked, there is nothing to report yet.
                        // Nor while the daemon restarts: it repeats the reason.
                        let isDetermined = try? await core.isDetermined()
                        if isDetermined == true { core.fail(CLError(.denied, because: reason)) }
                    }
                }
            } catch {
                core.fail(CLError(reporting: error))
            }
        }
    }

    /// Informs the delegate of a reply without a heading.
    func reportMissingHeading(_ update: HeadingUpdate) {
        // The user has not answered: there is nothing to report yet.
        guard !update.permission.contains(.authorizationRequestInProgress) else { return }
        let isDenied = !update.permission.isDisjoint(with: PermissionFlags.blocking.union(.accuracyLimited))
        guard isDenied || update.cause != .starting else { return }
        let reason = update.detail ?? "there is no heading now"
        fail(CLError(isDenied ? .denied : .headingFailure, because: reason))
    }

    /// Whether the daemon can report headings.
    static func hasHeadings(of transport: Transport) -> Bool {
        let reply = try? transport.callBlocking(ManagerMethods.getStatus, NoParameters())
        return reply?.status.features?.contains("heading") ?? false
    }

    /// Begins to report beacons.
    func startRanging(_ ranging: Ranging) {
        run(.ranging(ranging)) { core in
            let parameters = RangeParameters(beacon: ranging.identity.message)
            let call = core.transport.stream(BeaconMethods.range, parameters, delivery: .latest)
            do {
                while let arrival = try await call.next() {
                    let reply = try arrival.reply(to: BeaconMethods.range)
                    if let reason = reply.permissionDenied {
                        let isDetermined = try? await core.isDetermined()
                        if isDetermined == true { core.fail(ranging, CLError(.denied, because: reason)) }
                    } else if let reason = reply.problem {
                        core.fail(ranging, CLError(.rangingUnavailable, because: reason))
                    } else {
                        core.report(reply.beacons.compactMap(CLBeacon.init), ranging)
                    }
                }
            } catch {
                core.fail(ranging, CLError(.rangingFailure, because: "\(error)"))
            }
        }
    }

    private func report(_ beacons: [CLBeacon], _ ranging: Ranging) {
        delegates.deliver { manager, delegate in
            if let region = ranging.region {
                let region = CLBeaconRegion(identity: ranging.identity, identifier: region)
                delegate.locationManager(manager, didRangeBeacons: beacons, in: region)
            } else {
                let constraint = CLBeaconIdentityConstraint(identity: ranging.identity)
                delegate.locationManager(manager, didRange: beacons, satisfying: constraint)
            }
        }
    }

    private func fail(_ ranging: Ranging, _ error: CLError) {
        delegates.deliver { manager, delegate in
            if let region = ranging.region {
                let region = CLBeaconRegion(identity: ranging.identity, identifier: region)
                delegate.locationManager(manager, rangingBeaconsDidFailFor: region, withError: error)
            } else {
                let constraint = CLBeaconIdentityConstraint(identity: ranging.identity)
                delegate.locationManager(manager, didFailRangingFor: constraint, error: error)
            }
        }
    }

    func startHeadings(filter: CLLocationDegrees) {
        run(.headings) { core in
            let parameters = WatchHeadingParameters(headingFilter: filter > 0 ? min(filter, 180) : nil)
            let call = core.transport.stream(LocationMethods.watchHeading, parameters, delivery: .latest)
            do {
                while let arrival = try await call.next() {
                    let update = try arrival.reply(to: LocationMethods.watchHeading)
                    guard let heading = update.heading.flatMap(CLHeading.init) else {
                        core.reportMissingHeading(update)
                        continue
                    }
                    core.deliver(heading)
                }
            } catch {
                core.fail(CLError(.headingFailure, because: "\(error)"))
            }
        }
    }
}

extension SubscribeParameters {
    /// The options of a manager.
    init(
        activity: CLActivityType, accuracy: CLLocationAccuracy, distanceFilter: CLLocationDistance,
        pausesWhenStationary: Bool
    ) {
        let configuration: Configuration =
            switch activity {
            case .other: accuracy == kCLLocationAccuracyBestForNavigation ? .automotiveNavigation : .otherNavigation
            case .automotiveNavigation: .automotiveNavigation
            case .fitness: .fitness
            case .otherNavigation: .otherNavigation
            case .airborne: .airborne
            }
        let desiredAccuracy: DesiredAccuracy? =
            switch accuracy {
            case ..<kCLLocationAccuracyHundredMeters: nil
            case ..<kCLLocationAccuracyKilometer: .hundredMetres
            case ..<kCLLocationAccuracyThreeKilometers: .kilometre
            case ...kCLLocationAccuracyThreeKilometers: .threeKilometres
            default: .reduced
            }
        self.init(
            configuration: configuration, desiredAccuracy: desiredAccuracy,
            distanceFilter: distanceFilter > 0 ? min(distanceFilter, 20_100_000) : nil,
            pausesWhenStationary: pausesWhenStationary ? nil : false)
    }
}
