internal import Chronology
import Foundation
internal import Varlink
internal import VarlinkClient

extension ManagerCore {
    /// Begins updates, or changes the options of active ones.
    func start(_ activity: Activity, _ request: LocationRequest) {
        guard activity != .updates || note(request, isStart: true) else { return }
        run(activity) { await $0.update(request, activity) }
    }

    /// Changes the options of active updates.
    func change(_ activity: Activity, to request: LocationRequest) {
        guard note(request, isStart: false) else { return }
        run(activity) { await $0.update(request, activity) }
    }

    private func update(_ request: LocationRequest, _ activity: Activity) async {
        var isPaused = false
        do {
            for try await reply in request.replies(of: transport) {
                report(reply)
                // After a restart of the daemon, a location without a state ends the pause.
                let state = reply.stationary ?? (reply.location == nil ? nil : false)
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

    private func report(_ reply: LocationReply) {
        if let location = reply.location {
            deliver(location)
        } else if reply.flags.contains(.authorizationRequestInProgress) {
            // The user has not answered: there is nothing to report yet.
        } else if !reply.flags.isDisjoint(with: .blocking) {
            fail(CLError(.denied, because: reply.detail ?? "the program may not know the location"))
        } else if reply.isUnavailable {
            fail(CLError(.locationUnknown, because: reply.detail ?? "there is no position now"))
        }
    }

    private func fail(_ error: any Error) {
        delegates.deliver { $1.locationManager($0, didFailWithError: error) }
    }

    /// Requests one location. A location that is at most 5 s old is enough.
    func requestLocation() {
        run(.oneLocation) { core in
            let parameters: [String: JSONValue] = ["maximumAge": 5.0, "timeout": 30.0]
            do {
                let reply = try await core.transport.call(
                    "io.sextant.Location.GetLocation", parameters, replyWithin: .seconds(35))
                guard let members = reply["location"]?.object,
                    let location = CLLocation(members: members, age: reply["age"]?.double ?? 0)
                else { throw CLError(.locationUnknown, because: "the answer of sextantd has no position") }
                core.deliver(location)
            } catch is CancellationError {
                // A later request replaced this one.
            } catch {
                core.fail(CLError(reporting: error))
            }
        }
    }

    /// Begins to report visits.
    func startVisits() {
        run(.visits) { core in
            let call = core.transport.stream("io.sextant.Location.WatchVisits", delivery: .all)
            do {
                while let arrival = try await call.next() {
                    if let visit = arrival.parameters["visit"]?.object.flatMap(CLVisit.init) {
                        core.delegates.deliver { $1.locationManager($0, didVisit: visit) }
                    } else if let reason = arrival.parameters["permissionDenied"]?.string {
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
    func reportMissingHeading(_ reply: [String: JSONValue]) {
        let flags = PermissionFlags(reply)
        // The user has not answered: there is nothing to report yet.
        guard !flags.contains(.authorizationRequestInProgress) else { return }
        let isDenied = !flags.isDisjoint(with: PermissionFlags.blocking.union(.accuracyLimited))
        guard isDenied || reply["cause"]?.string != "starting" else { return }
        let reason = reply["detail"]?.string ?? "there is no heading now"
        fail(CLError(isDenied ? .denied : .headingFailure, because: reason))
    }

    /// Whether the daemon can report headings.
    static func hasHeadings(of transport: Transport) -> Bool {
        let features = (try? transport.callBlocking("io.sextant.Manager.GetStatus"))?["status"]?["features"]?.array
        return features?.contains("heading") ?? false
    }

    /// Begins to report headings.
    func startHeadings(filter: CLLocationDegrees) {
        run(.headings) { core in
            let parameters: [String: JSONValue] = filter > 0 ? ["headingFilter": .double(min(filter, 180))] : [:]
            let call = core.transport.stream("io.sextant.Location.WatchHeading", parameters, delivery: .latest)
            do {
                while let arrival = try await call.next() {
                    guard let heading = arrival.parameters["heading"]?.object.flatMap(CLHeading.init) else {
                        core.reportMissingHeading(arrival.parameters)
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

extension LocationRequest {
    /// The options of a manager.
    init(
        activity: CLActivityType, accuracy: CLLocationAccuracy, distanceFilter: CLLocationDistance,
        pausesWhenStationary: Bool
    ) {
        configuration =
            switch activity {
            case .other: accuracy == kCLLocationAccuracyBestForNavigation ? "automotiveNavigation" : "otherNavigation"
            case .automotiveNavigation: "automotiveNavigation"
            case .fitness: "fitness"
            case .otherNavigation: "otherNavigation"
            case .airborne: "airborne"
            }
        desiredAccuracy =
            switch accuracy {
            case ..<kCLLocationAccuracyHundredMeters: nil
            case ..<kCLLocationAccuracyKilometer: "hundredMetres"
            case ..<kCLLocationAccuracyThreeKilometers: "kilometre"
            case ...kCLLocationAccuracyThreeKilometers: "threeKilometres"
            default: "reduced"
            }
        self.distanceFilter = distanceFilter > 0 ? min(distanceFilter, 20_100_000) : nil
        self.pausesWhenStationary = pausesWhenStationary
    }
}

extension CLVisit {
    /// A visit of the daemon; nil without a coordinate.
    convenience init?(_ members: [String: JSONValue]) {
        guard let latitude = members["latitude"]?.double, let longitude = members["longitude"]?.double else {
            return nil
        }
        // A visit that is over without a date ended now at the latest.
        let end = members["departed"]?.bool == true ? Date() : .distantFuture
        self.init(
            content: Content(
                arrival: Date(rfc3339: members["arrival"]?.string) ?? .distantPast,
                departure: Date(rfc3339: members["departure"]?.string) ?? end,
                coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude),
                horizontalAccuracy: members["horizontalAccuracy"]?.double ?? -1))
    }
}

extension CLHeading {
    /// A heading of the daemon; nil without a direction.
    convenience init?(_ members: [String: JSONValue]) {
        let (magnetic, real) = (members["magneticHeading"]?.double, members["trueHeading"]?.double)
        guard magnetic != nil || real != nil else { return nil }
        self.init(
            content: Content(
                magnetic: magnetic ?? -1, true: real ?? -1, accuracy: members["headingAccuracy"]?.double ?? -1,
                timestamp: Date(rfc3339: members["timestamp"]?.string) ?? Date()))
    }
}
